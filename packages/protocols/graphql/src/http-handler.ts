import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '@backlot/kit';
import {
  announcesTooMuch,
  corsHeaders,
  faultAnswer,
  HeldAnswers,
  HttpAnswer,
  isPreflight,
  makeHeaders,
  preflightHeaders,
  readBody,
  refuseLargeBody,
  sendHttp1Answer,
  truncateHttp1Answer,
} from '@backlot/kit/http';
import { failureOf, streamFailure, unmatchedFailure } from './answer/failure.js';
import { failureAnswer } from './answer/failure-answer.js';
import { resultAnswer, type MediaType } from './answer/result-answer.js';
import type { DocumentCache } from './document/document-cache.js';
import { answerMetaFields } from './document/introspection.js';
import { chooseOperation, type Operation } from './document/operation.js';
import { GraphqlMessage } from './message.js';
import type { GraphqlContext, GraphqlExchange, GraphqlFault, GraphqlMatch, GraphqlOutcome } from './shape.js';
import type { Settings } from './settings.js';
import {
  readDocumentRequest,
  readJsonRequest,
  readSearch,
  RequestProblem,
  type GraphqlRequest,
} from './wire/graphql-request.js';
import { chooseMediaType, readBodyType } from './wire/media-type.js';

/** One request on its way through the server. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly type: MediaType;
}

/** Answers requests over HTTP. */
export class HttpHandler {
  readonly #context: GraphqlContext;
  readonly #settings: Settings;
  readonly #documents: DocumentCache;
  readonly #held = new WeakMap<Connection, HeldAnswers>();

  constructor(context: GraphqlContext, settings: Settings, documents: DocumentCache) {
    this.#context = context;
    this.#settings = settings;
    this.#documents = documents;
  }

  /** Takes one request. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, connection: Connection): void => {
    const { url = '/', method, headers } = request;
    const call: Call = { request, response, connection, type: chooseMediaType(headers.accept) };
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const search = mark < 0 ? '' : url.slice(mark + 1);
    if (path !== this.#settings.path) {
      const text = `nothing is served at ${path}; GraphQL is at ${this.#settings.path}`;
      return this.#refuse(call, 404, text);
    }
    if (method === 'POST') return this.#takeBody(call, search);
    if (method === 'GET') return this.#take(call, () => readSearch(search), url.length);
    if (this.#settings.hasCors && isPreflight(method ?? '', headers)) return this.#answerPreflight(call);
    this.#refuse(call, 405, `method ${method ?? ''} is not supported; use POST or GET`, {
      Allow: 'GET, POST',
    });
  };

  #takeBody(call: Call, search: string): void {
    const { request, connection } = call;
    const limit = this.#settings.maxBody;
    if (announcesTooMuch(request, limit)) return this.#refuseBody(call);
    const body = readBodyType(request.headers['content-type'], request.headers['content-encoding']);
    if (typeof body === 'string') return this.#refuse(call, 415, body);
    readBody(
      request,
      limit,
      connection.isolate((bytes: Buffer | undefined) => {
        if (bytes === undefined) this.#refuseBody(call);
        else if (body.type === 'json') this.#take(call, () => readJsonRequest(bytes), bytes.length);
        else this.#take(call, () => readDocumentRequest(bytes, search), bytes.length + search.length);
      }),
    );
  }

  #take(call: Call, read: () => GraphqlRequest, size: number): void {
    let request;
    try {
      request = read();
    } catch (thrown) {
      if (!(thrown instanceof RequestProblem)) throw thrown;
      return this.#refuse(call, 400, thrown.message);
    }
    let document;
    let chosen;
    try {
      document = this.#documents.read(request.query);
      chosen = chooseOperation(document, request.operationName);
      if (typeof chosen === 'string') throw new RequestProblem(chosen);
    } catch (thrown) {
      // GraphQL over HTTP, sections 6.4.1 and 6.4.2: only the newer media type tells by the status.
      const status = call.type === 'application/json' ? 200 : 400;
      return this.#send(call, failureAnswer([failureOf(thrown)], call.type, status));
    }
    if (call.request.method === 'GET' && chosen.type === 'mutation') {
      return this.#refuse(call, 405, 'a mutation cannot be sent with GET; use POST', { Allow: 'POST' });
    }
    const { variables, extensions } = request;
    const message = new GraphqlMessage({
      operation: chosen,
      // The text that is kept anyway, since the journal holds thousands of messages.
      query: document.text,
      variables,
      extensions,
      rawHeaders: call.request.rawHeaders,
      remote: call.connection.remote,
      transport: 'http',
      size,
    });
    this.#operate(call, message, chosen);
  }

  #operate(call: Call, message: GraphqlMessage, operation: Operation): void {
    const { metaFields } = operation;
    if (metaFields !== undefined && !this.#context.mocks.matches(message)) {
      const text = answerMetaFields(metaFields, operation.type, message.variables);
      return this.#send(call, resultAnswer(text, call.type));
    }
    const exchange = this.#context.receive(message);
    try {
      const outcome = exchange.resolve();
      if (outcome instanceof Promise) this.#answerLater(call, exchange, outcome);
      else this.#answer(call, exchange, outcome);
    } catch (thrown) {
      this.#fail(call, exchange, thrown);
    }
  }

  #answerLater(call: Call, exchange: GraphqlExchange, outcome: Promise<GraphqlOutcome>): void {
    const { connection, response } = call;
    const known = this.#held.get(connection);
    const held = known ?? new HeldAnswers(connection);
    if (known === undefined) this.#held.set(connection, held);
    held.hold(exchange);
    response.once('close', () => held.release(exchange));
    outcome
      .then((decided) => this.#answer(call, exchange, decided))
      .catch((thrown: unknown) => this.#fail(call, exchange, thrown));
  }

  #answer(call: Call, exchange: GraphqlExchange, outcome: GraphqlOutcome): void {
    switch (outcome.type) {
      case 'matched':
        return this.#finish(call, exchange, this.#matchAnswer(call, exchange, outcome));
      case 'unmatched':
        return this.#finish(call, exchange, failureAnswer([unmatchedFailure(exchange)], call.type, 200));
      case 'fault':
        return this.#answerFault(call, exchange, outcome);
      case 'aborted':
        return;
      default:
        throw new Error(`outcome ${outcome.type} has no meaning for GraphQL`);
    }
  }

  #matchAnswer({ type }: Call, exchange: GraphqlExchange, match: GraphqlMatch): HttpAnswer {
    const { only, stream, result } = match.mock.compiled;
    if (only !== undefined && type === 'application/json') return only;
    return stream === undefined
      ? result.answer(match, type)
      : failureAnswer([streamFailure(exchange)], type, 200);
  }

  #answerFault(call: Call, exchange: GraphqlExchange, outcome: GraphqlFault): void {
    const { fault, given, match } = outcome;
    if (given.abort === true) {
      exchange.done({});
      call.connection.reset();
      return;
    }
    const answer = faultAnswer(fault, given, () => match && this.#matchAnswer(call, exchange, match));
    if (given.truncate_body === undefined) return this.#finish(call, exchange, answer);
    exchange.done(answer);
    truncateHttp1Answer(call.response, answer, given.truncate_body, (drop) => call.connection.after(0, drop));
  }

  #finish(call: Call, exchange: GraphqlExchange, answer: HttpAnswer): void {
    this.#send(call, answer);
    exchange.done(answer);
  }

  #send({ request, response }: Call, answer: HttpAnswer): void {
    const further = this.#settings.hasCors ? corsHeaders(request) : undefined;
    sendHttp1Answer(response, further === undefined ? answer : answer.withHeaders(further));
  }

  /** Refuses what is no operation, so that it is no exchange either. */
  #refuse(call: Call, status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#send(call, failureAnswer([{ message }], call.type, status, headers));
  }

  #refuseBody(call: Call): void {
    const message = `the request body is larger than ${this.#settings.maxBody} bytes, the limit of max_body_bytes`;
    const answer = failureAnswer([{ message }], call.type, 413, { Connection: 'close' });
    refuseLargeBody(call.request, call.response, answer, call.connection);
  }

  #answerPreflight(call: Call): void {
    const headers = Object.assign(makeHeaders(), preflightHeaders(call.request));
    this.#send(call, new HttpAnswer(204, headers));
  }

  /** An answer could not be made. */
  #fail(call: Call, exchange: GraphqlExchange, thrown: unknown): void {
    const { method, path } = exchange.message;
    this.#context.log.error(`${method} ${path} could not be answered`, thrown);
    const answer = failureAnswer([failureOf(thrown)], call.type, 500);
    if (call.response.headersSent) call.connection.reset();
    else this.#send(call, answer);
    if (!exchange.ended) exchange.done(answer);
  }
}
