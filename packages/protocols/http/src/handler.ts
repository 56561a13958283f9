import { messageOf, runInSlices } from '@backlot/core/plugin';
import {
  announcesTooMuch,
  corsHeaders,
  HttpAnswer,
  isPreflight,
  jsonAnswer,
  makeHeaders,
  preflightHeaders,
  readBody,
  refuseLargeBody,
} from '@backlot/kit/http';
import { isEventStream } from './answer/compiled-stream.js';
import { StreamAnswer } from './answer/stream-answer.js';
import type { HttpChallenge } from './auth/index.js';
import { abortAnswer, faultAnswer, truncateAnswer } from './fault.js';
import { HttpMessage } from './message.js';
import type { HttpContext, HttpExchange, HttpMatch, HttpOutcome } from './shape.js';
import { hasBody } from './wire/has-body.js';
import type { HttpConnection } from './wire/connection.js';
import {
  asServerResponse,
  http2StreamOf,
  sendAnswer,
  type Incoming,
  type Outgoing,
} from './wire/outgoing.js';

/** One request on its way through the server. */
interface Call {
  readonly request: Incoming;
  readonly response: Outgoing;
  readonly connection: HttpConnection;
  readonly exchange: HttpExchange;
}

const MAX_BODY = 1024 * 1024 * 1024;
const DEFAULT_MAX_BODY = 10 * 1024 * 1024;
/** Node bounds the size of the headers, which leaves room for very many short ones. */
const MAX_HEADERS = 2000;

/** Answers requests. */
export class RequestHandler {
  readonly #context: HttpContext;
  readonly #hasCors: boolean;
  readonly #limit: number;
  readonly #streams = new Set<StreamAnswer>();

  constructor(context: HttpContext) {
    this.#context = context;
    this.#hasCors = context.config.cors ?? false;
    const limit = context.config.max_body_bytes ?? DEFAULT_MAX_BODY;
    this.#limit = limit === 0 ? MAX_BODY : limit;
  }

  /** Takes one request; `connection` is absent when it has gone already. */
  readonly handle = (request: Incoming, response: Outgoing, connection: HttpConnection): void => {
    if (request.rawHeaders.length > 2 * MAX_HEADERS) {
      const count = request.rawHeaders.length / 2;
      refuse(request, response, 431, `${count} headers are too many; at most ${MAX_HEADERS} are taken`);
      return;
    }
    if (!hasOneHost(request.rawHeaders)) {
      refuse(request, response, 400, 'the request has more than one host header');
      return;
    }
    if (!hasBody(request)) {
      this.#receive(request, response, connection, undefined);
      return;
    }
    if (announcesTooMuch(request, this.#limit)) {
      this.#refuseBody(request, response, connection);
      return;
    }
    readBody(
      request,
      this.#limit,
      connection.kit.isolate((body: Buffer | undefined) => {
        if (body === undefined) this.#refuseBody(request, response, connection);
        else this.#receive(request, response, connection, body.length === 0 ? undefined : body);
      }),
    );
  };

  /** A client that waits for leave to send its body (RFC 9110, section 10.1.1) is refused before it has sent it. */
  readonly handleExpectation = (request: Incoming, response: Outgoing, connection: HttpConnection): void => {
    if (!announcesTooMuch(request, this.#limit)) response.writeContinue();
    this.handle(request, response, connection);
  };

  /** Ends the open streams normally. */
  endStreams(): void {
    for (const open of this.#streams) open.close(undefined);
  }

  #message(request: Incoming, connection: HttpConnection, body: Buffer | undefined): HttpMessage {
    const method = request.method ?? 'GET';
    return new HttpMessage({
      method,
      target: request.url ?? '/',
      rawHeaders: request.rawHeaders,
      remote: connection.remote,
      body,
      auth: connection.auth,
      preflight: this.#hasCors && isPreflight(method, request.headers),
    });
  }

  #receive(
    request: Incoming,
    response: Outgoing,
    connection: HttpConnection,
    body: Buffer | undefined,
  ): void {
    if (request.httpVersionMajor < 2) connection.latest = asServerResponse(response);
    const exchange = this.#context.receive(this.#message(request, connection, body));
    const call: Call = { request, response, connection, exchange };
    try {
      if (exchange.message.isLong) return this.#decodeLater(call);
      const outcome = exchange.resolve();
      if (outcome instanceof Promise) this.#answerLater(call, outcome);
      else this.#answer(call, outcome);
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  /** Decodes what mocks look at of a long body, in slices that let others in; the mocks are asked again then. */
  #decodeLater(call: Call): void {
    const outcome = this.#askEarly(call);
    if (outcome instanceof Promise || outcome.type === 'undecided') {
      this.#answerLater(call, this.#decideLater(call, outcome));
    } else this.#answer(call, outcome);
  }

  async #decideLater(call: Call, first: HttpOutcome | Promise<HttpOutcome>): Promise<HttpOutcome> {
    const { exchange } = call;
    let outcome = await first;
    while (outcome.type === 'undecided' && !exchange.ended) {
      await runInSlices(exchange.message.decode());
      if (!exchange.ended) outcome = await this.#askEarly(call);
    }
    return exchange.ended ? { type: 'aborted' } : outcome;
  }

  #askEarly({ exchange }: Call): HttpOutcome | Promise<HttpOutcome> {
    const { message } = exchange;
    message.letWait(true);
    try {
      return exchange.resolve({ final: false });
    } finally {
      message.letWait(false);
    }
  }

  #answerLater(call: Call, outcome: Promise<HttpOutcome>): void {
    this.#hold(call);
    outcome
      .then((decided) => this.#answer(call, decided))
      .catch((thrown: unknown) => this.#fail(call, thrown));
  }

  /** From now on the client may leave before it is answered. */
  #hold({ connection, exchange, response }: Call): void {
    connection.held.hold(exchange);
    response.once('close', () => connection.held.release(exchange));
  }

  #answer(call: Call, outcome: HttpOutcome): void {
    switch (outcome.type) {
      case 'matched':
        return this.#answerMatch(call, outcome);
      case 'unmatched':
        return this.#send(call, this.#unmatched(call));
      case 'fault':
        return this.#answerFault(call, outcome);
      case 'challenge':
        return this.#send(call, challengeAnswer(outcome.challenge as HttpChallenge));
      case 'aborted':
        return;
      default:
        throw new Error(`outcome ${outcome.type} has no meaning for HTTP`);
    }
  }

  #answerMatch(call: Call, match: HttpMatch): void {
    const { compiled } = match.mock;
    if (compiled.only !== undefined) return this.#send(call, compiled.only);
    const reply = compiled.replies.pick(match.call);
    if (reply.delay > 0) {
      const { exchange } = call;
      if (!call.connection.held.isHolding(exchange)) this.#hold(call);
      exchange
        .wait(reply.delay)
        .then((isThere) => (isThere ? this.#sendMatch(call, match) : undefined))
        .catch((thrown: unknown) => this.#fail(call, thrown));
      return;
    }
    this.#sendMatch(call, match);
  }

  #sendMatch(call: Call, match: HttpMatch): void {
    const { compiled } = match.mock;
    const reply = compiled.replies.pick(match.call);
    if (compiled.stream !== undefined)
      this.#stream(
        call,
        match,
        reply.head((template) => match.render(template)),
      );
    else this.#send(call, reply.fixed ?? reply.make((template) => match.render(template)));
  }

  #stream(call: Call, match: HttpMatch, made: HttpAnswer): void {
    const { request, response, exchange, connection } = call;
    const { stream } = match.mock.compiled;
    if (stream === undefined) return;
    const answer = this.#withCors(call, made);
    const start = answer.withoutBody();
    if (request.method === 'HEAD') {
      this.#send(call, start);
      return;
    }
    if (!connection.held.isHolding(exchange)) this.#hold(call);
    response.writeHead(start.status, request.httpVersionMajor === 2 ? start.head.http2 : start.head.flat);
    response.flushHeaders();
    exchange.started({ status: start.status, headers: start.headers });
    const open = new StreamAnswer({
      context: this.#context,
      exchange,
      match,
      stream,
      response,
      isSse: isEventStream(start),
      onEnd: () => this.#streams.delete(open),
    });
    this.#streams.add(open);
    open.start(answer.body?.toString());
  }

  #answerFault(call: Call, outcome: Extract<HttpOutcome, { type: 'fault' }>): void {
    const { request, response, exchange, connection } = call;
    const { given, match } = outcome;
    if (given.abort === true) {
      exchange.done({});
      abortAnswer(request, connection);
      return;
    }
    const answer = faultAnswer(outcome, match);
    if (given.truncate_body !== undefined) {
      exchange.done(answer);
      truncateAnswer(request, response, answer, given.truncate_body, connection);
      return;
    }
    this.#send(call, answer);
  }

  #unmatched({ exchange }: Call): HttpAnswer {
    const { message } = exchange;
    if (message.preflight)
      return new HttpAnswer(204, Object.assign(makeHeaders(), preflightHeaders(message)));
    return jsonAnswer(404, {
      error: 'no mock matched',
      method: message.method,
      path: message.path,
      near_misses: exchange.nearMisses(),
    });
  }

  #send(call: Call, made: HttpAnswer): void {
    const answer = this.#hasCors ? this.#withCors(call, made) : made;
    const { exchange } = call;
    // Afterwards the exchange may hold what the journal keeps of the message in its place.
    const { message } = exchange;
    sendAnswer(call.request, call.response, answer);
    exchange.done(answer);
    message.forget();
  }

  #withCors({ exchange }: Call, answer: HttpAnswer): HttpAnswer {
    const headers = this.#hasCors ? corsHeaders(exchange.message) : undefined;
    return headers === undefined ? answer : answer.withHeaders(headers);
  }

  #refuseBody(request: Incoming, response: Outgoing, connection: HttpConnection): void {
    const exchange = this.#context.receive(this.#message(request, connection, undefined));
    const headers = makeHeaders();
    headers['Connection'] = 'close';
    const answer = jsonAnswer(
      413,
      { error: `the request body is larger than ${this.#limit} bytes, the limit of max_body_bytes` },
      headers,
    );
    exchange.done(answer);
    const stream = http2StreamOf(request);
    if (stream !== undefined) {
      sendAnswer(request, response, answer);
      // RFC 9113, section 8.1: the answer is whole, so the rest of the request is not wanted.
      response.once('finish', () => stream.close());
      return;
    }
    if (request.headers.expect !== undefined) {
      sendAnswer(request, response, answer);
      return;
    }
    refuseLargeBody(request, asServerResponse(response), answer, connection.kit);
  }

  /** An answer could not be made. */
  #fail({ request, response, exchange, connection }: Call, thrown: unknown): void {
    this.#context.log.error(`${request.method} ${exchange.message.path} could not be answered`, thrown);
    if (response.headersSent) {
      if (!exchange.ended) exchange.done();
      abortAnswer(request, connection);
      return;
    }
    const answer = jsonAnswer(500, { error: `the answer could not be made: ${messageOf(thrown)}` });
    try {
      sendAnswer(request, response, answer);
    } catch {
      abortAnswer(request, connection);
    }
    if (!exchange.ended) exchange.done(answer);
  }
}

/** Refuses what is no proper request, before it becomes an exchange. */
function refuse(request: Incoming, response: Outgoing, status: number, error: string): void {
  const headers = makeHeaders();
  headers['Connection'] = 'close';
  sendAnswer(request, response, jsonAnswer(status, { error }, headers));
}

/** RFC 9112, section 3.2: with two, a proxy in front and we could take the request for different ones. */
function hasOneHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count < 2;
}

function challengeAnswer({ status, headers, reason }: HttpChallenge): HttpAnswer {
  return jsonAnswer(status, { error: reason }, Object.assign(makeHeaders(), headers));
}
