import type { IncomingMessage, ServerResponse } from 'node:http';
import { runInSlices } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import {
  announcesTooMuch,
  bytesBeforeEnd,
  corsHeaders,
  faultAnswer,
  HeldAnswers,
  Http1Replier,
  HttpAnswer,
  isPreflight,
  lostFormOf,
  makeHeaders,
  preflightHeaders,
  codingsOf,
  readDecodedBody,
  type ContentCoding,
  type DecodeFailure,
  type GuestRequest,
  refuseLargeBody,
} from '@backlot/kit/http';
import { failureOf, failuresOf, streamFailure, unmatchedFailure } from './answer/failure.js';
import { givenResult } from './answer/given-result.js';
import { failureAnswer } from './answer/failure-answer.js';
import { resultAnswer } from './answer/result-answer.js';
import type { DocumentCache } from './document/document-cache.js';
import type { PersistedDocuments } from './document/persisted-documents.js';
import type { HttpCall as Call } from './http-call.js';
import { answerMetaFields } from './document/introspection.js';
import { chooseOperation, type Document, type MetaField, type Operation } from './document/operation.js';
import { GraphqlMessage } from './message.js';
import type { SchemaEngine } from './schema/engine.js';
import type { GraphqlContext, GraphqlExchange, GraphqlFault, GraphqlMatch, GraphqlOutcome } from './shape.js';
import type { Settings } from './settings.js';
import { Batch } from './wire/batch-replier.js';
import {
  readDocumentRequest,
  readJsonRequest,
  readSearch,
  RequestProblem,
  type GraphqlRequest,
} from './wire/graphql-request.js';
import { readUploadRequest } from './wire/upload-request.js';
import { chooseMediaType, readBodyType } from './wire/media-type.js';

const NO_BYTES = Buffer.alloc(0);
const TOO_LARGE: DecodeFailure = { status: 413 };

/** Answers requests over HTTP. */
export class HttpHandler {
  readonly #context: GraphqlContext;
  readonly #settings: Settings;
  readonly #engine: SchemaEngine | undefined;
  readonly #documents: DocumentCache<Document>;
  readonly #persisted: PersistedDocuments;
  /** Operations whose answers were broken. */
  #lost = 0;
  readonly #held = new WeakMap<Connection, HeldAnswers>();

  constructor(
    context: GraphqlContext,
    settings: Settings,
    documents: DocumentCache<Document>,
    engine: SchemaEngine | undefined,
    persisted: PersistedDocuments,
  ) {
    this.#persisted = persisted;
    this.#engine = engine;
    this.#context = context;
    this.#settings = settings;
    this.#documents = documents;
  }

  /** Takes one request. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, connection: Connection): void => {
    const type = chooseMediaType(request.headers.accept);
    const call: Call = { head: request, reply: new Http1Replier(response, connection), connection, type };
    this.#route(call, (search) => this.#readBody(call, request, response, search));
  };

  /** Takes one request that came to the listener of another kind, which has read its body. */
  readonly takeOver = (request: GuestRequest): void => {
    const { head, connection, body = NO_BYTES, isDecoded } = request;
    const call: Call = { head, reply: request, connection, type: chooseMediaType(head.headers.accept) };
    this.#route(call, (search) => {
      if (body.length > this.#settings.maxBody) return this.#send(call, this.#bodyRefusal(call, TOO_LARGE));
      const codings = isDecoded ? (codingsOf(head.headers) ?? []) : [];
      this.#takeBody(call, codings, search, (take) => take(body));
    });
  };

  #route(call: Call, takeBody: (search: string) => void): void {
    const { url = '/', method, headers } = call.head;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const search = mark < 0 ? '' : url.slice(mark + 1);
    if (path !== this.#settings.path) {
      const text = `nothing is served at ${path}; GraphQL is at ${this.#settings.path}`;
      return this.#refuse(call, 404, text);
    }
    if (method === 'POST') return takeBody(search);
    if (method === 'GET') return this.#take(call, () => readSearch(search), url.length);
    if (this.#settings.hasCors && isPreflight(method ?? '', headers)) return this.#answerPreflight(call);
    this.#refuse(call, 405, `method ${method ?? ''} is not supported; use POST or GET`, {
      Allow: 'GET, POST',
    });
  }

  #readBody(call: Call, request: IncomingMessage, response: ServerResponse, search: string): void {
    const { connection } = call;
    const limit = this.#settings.maxBody;
    const refuse = (failure: DecodeFailure): void =>
      refuseLargeBody(request, response, this.#bodyRefusal(call, failure), connection);
    if (announcesTooMuch(request, limit)) return refuse(TOO_LARGE);
    const codings = codingsOf(request.headers) ?? [];
    this.#takeBody(call, codings, search, (take) =>
      readDecodedBody(
        request,
        codings,
        limit,
        connection.isolate((bytes: Buffer | DecodeFailure) => {
          if (Buffer.isBuffer(bytes)) take(bytes);
          else refuse(bytes);
        }),
      ),
    );
  }

  /** @param codings - the content codings that are undone by `read` */
  #takeBody(
    call: Call,
    codings: readonly ContentCoding[],
    search: string,
    read: (take: (bytes: Buffer) => void) => void,
  ): void {
    const { 'content-type': contentType, 'content-encoding': encoding } = call.head.headers;
    const body = readBodyType(contentType, codings.length > 0 ? undefined : encoding);
    if (typeof body === 'string') return this.#refuse(call, 415, body);
    read((bytes) => {
      if (body.type === 'json') this.#take(call, () => readJsonRequest(bytes), bytes.length);
      else if (body.type === 'form')
        this.#take(call, () => readUploadRequest(contentType, bytes), bytes.length);
      else this.#take(call, () => readDocumentRequest(bytes, search), bytes.length + search.length);
    });
  }

  #take(call: Call, read: () => GraphqlRequest | readonly GraphqlRequest[], size: number): void {
    let request;
    try {
      request = read();
    } catch (thrown) {
      if (!(thrown instanceof RequestProblem)) throw thrown;
      return this.#refuse(call, 400, thrown.message);
    }
    if ('length' in request) this.#takeBatch(call, request, size);
    else this.#takeOne(call, request, size);
  }

  #takeBatch(call: Call, requests: readonly GraphqlRequest[], size: number): void {
    const { type } = call;
    const batch = new Batch(requests.length, call.reply, (list) =>
      this.#send(call, resultAnswer(list, type)),
    );
    const each = Math.ceil(size / requests.length);
    requests.forEach((request, index) =>
      this.#takeOne({ ...call, reply: batch.parts[index] ?? call.reply }, request, each),
    );
  }

  #takeOne(call: Call, request: GraphqlRequest, size: number): void {
    let document;
    let chosen;
    try {
      document = this.#documents.read(this.#persisted.textOf(request));
      chosen = chooseOperation(document, request.operationName);
      if (typeof chosen === 'string') throw new RequestProblem(chosen);
      const plan = this.#engine?.plan(document.text, chosen.name, request.variables);
      if (plan !== undefined) call.plan = plan;
    } catch (thrown) {
      // GraphQL over HTTP, sections 6.4.1 and 6.4.2: only the newer media type tells by the status.
      const status = call.type === 'application/json' ? 200 : 400;
      return this.#send(call, failureAnswer(failuresOf(thrown), call.type, status));
    }
    if (call.head.method === 'GET' && chosen.type === 'mutation') {
      return this.#refuse(call, 405, 'a mutation cannot be sent with GET; use POST', { Allow: 'POST' });
    }
    const { extensions } = request;
    const variables = call.plan?.variables ?? request.variables;
    const message = new GraphqlMessage({
      operation: chosen,
      // The text that is kept anyway, since the journal holds thousands of messages.
      query: document.text,
      variables,
      extensions,
      rawHeaders: call.head.rawHeaders,
      remote: call.connection.remote,
      transport: 'http',
      size,
    });
    this.#operate(call, message, chosen);
  }

  #operate(call: Call, message: GraphqlMessage, operation: Operation): void {
    const { metaFields } = operation;
    if (metaFields !== undefined && !this.#context.mocks.matches(message)) {
      return this.#answerMeta(call, metaFields, message);
    }
    const exchange = this.#context.receive(message);
    try {
      const outcome = exchange.resolve();
      if (outcome instanceof Promise)
        this.#later(call, exchange, outcome, (decided) => this.#answer(call, exchange, decided));
      else this.#answer(call, exchange, outcome);
    } catch (thrown) {
      this.#fail(call, exchange, thrown);
    }
  }

  #answerMeta(call: Call, fields: readonly MetaField[], message: GraphqlMessage): void {
    const send = (text: string): void => this.#send(call, resultAnswer(text, call.type));
    const { plan } = call;
    if (plan === undefined || this.#engine === undefined)
      return send(answerMetaFields(fields, message.method, message.variables));
    const made = runInSlices(this.#engine.introspect(plan));
    if (typeof made === 'string') return send(made);
    const { connection } = call;
    connection.busy();
    void made.then(send).finally(() => connection.idle());
  }

  /** @param outcome - what is waited for before there is an answer */
  #later<T>(call: Call, exchange: GraphqlExchange, outcome: Promise<T>, answer: (value: T) => void): void {
    const { connection, reply } = call;
    const known = this.#held.get(connection);
    const held = known ?? new HeldAnswers(connection);
    if (known === undefined) this.#held.set(connection, held);
    held.hold(exchange);
    reply.onClose(() => held.release(exchange));
    outcome.then(answer).catch((thrown: unknown) => this.#fail(call, exchange, thrown));
  }

  #answer(call: Call, exchange: GraphqlExchange, outcome: GraphqlOutcome): void {
    const { plan } = call;
    const given = plan && givenResult(exchange, outcome, this.#settings.makesUnmatched);
    if (plan === undefined || given === undefined || this.#engine === undefined)
      return this.#answerWith(call, exchange, outcome);
    const made = runInSlices(this.#engine.answer(plan, given));
    if (typeof made === 'string') return this.#answerWith(call, exchange, outcome, made);
    this.#later(call, exchange, made, (text) => {
      if (!exchange.ended) this.#answerWith(call, exchange, outcome, text);
    });
  }

  /** @param made - the result that was made by the schema */
  #answerWith(call: Call, exchange: GraphqlExchange, outcome: GraphqlOutcome, made?: string): void {
    switch (outcome.type) {
      case 'matched':
        return this.#finish(call, exchange, this.#matchAnswer(call, exchange, outcome, made));
      case 'unmatched':
        if (made !== undefined) {
          exchange.answeredFromData();
          return this.#finish(call, exchange, resultAnswer(made, call.type));
        }
        return this.#finish(call, exchange, failureAnswer([unmatchedFailure(exchange)], call.type, 200));
      case 'fault':
        return this.#answerFault(call, exchange, outcome, made);
      case 'aborted':
        return;
      default:
        throw new Error(`outcome ${outcome.type} has no meaning for GraphQL`);
    }
  }

  #matchAnswer({ type }: Call, exchange: GraphqlExchange, match: GraphqlMatch, made?: string): HttpAnswer {
    if (made !== undefined) return resultAnswer(made, type);
    const { only, stream, result } = match.mock.compiled;
    if (only !== undefined && type === 'application/json') return only;
    return stream === undefined
      ? result.answer(match, type)
      : failureAnswer([streamFailure(exchange)], type, 200);
  }

  #answerFault(call: Call, exchange: GraphqlExchange, outcome: GraphqlFault, made?: string): void {
    const { fault, given, match } = outcome;
    const form = lostFormOf(given);
    if (form !== undefined) {
      exchange.done({});
      this.#lost += 1;
      call.reply.lose(form, this.#context.random('garbage', this.#lost));
      return;
    }
    const answer = faultAnswer(fault, given, () => {
      if (match !== undefined) return this.#matchAnswer(call, exchange, match, made);
      return made === undefined ? undefined : resultAnswer(made, call.type);
    });
    const bytes = bytesBeforeEnd(given, answer);
    if (bytes === undefined) return this.#finish(call, exchange, answer);
    exchange.done(answer);
    call.reply.truncate(answer, bytes);
  }

  #finish(call: Call, exchange: GraphqlExchange, answer: HttpAnswer): void {
    this.#send(call, answer);
    exchange.done(answer);
  }

  #send({ head, reply }: Call, answer: HttpAnswer): void {
    const further = this.#settings.hasCors ? corsHeaders(head) : undefined;
    reply.send(further === undefined ? answer : answer.withHeaders(further));
  }

  /** Refuses what is no operation, so that it is no exchange either. */
  #refuse(call: Call, status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#send(call, failureAnswer([{ message }], call.type, status, headers));
  }

  #bodyRefusal(call: Call, failure: DecodeFailure): HttpAnswer {
    const message =
      failure.status === 400
        ? failure.error
        : `the request body is larger than ${this.#settings.maxBody} bytes, the limit of max_body_bytes`;
    return failureAnswer([{ message }], call.type, failure.status, { Connection: 'close' });
  }

  #answerPreflight(call: Call): void {
    const headers = Object.assign(makeHeaders(), preflightHeaders(call.head));
    this.#send(call, new HttpAnswer(204, headers));
  }

  /** An answer could not be made. */
  #fail(call: Call, exchange: GraphqlExchange, thrown: unknown): void {
    const { method, path } = exchange.message;
    this.#context.log.error(`${method} ${path} could not be answered`, thrown);
    const answer = failureAnswer([failureOf(thrown)], call.type, 500);
    if (call.reply.hasBegun) call.reply.lose('reset', this.#context.random('reset'));
    else this.#send(call, answer);
    if (!exchange.ended) exchange.done(answer);
  }
}
