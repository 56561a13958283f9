import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf, type Reply, type Upstream } from '@backlot/core/plugin';
import {
  bytesBeforeEnd,
  corsHeaders,
  HttpAnswer,
  isPreflight,
  jsonAnswer,
  lostFormOf,
  makeHeaders,
  preflightHeaders,
  truncatedLength,
  type DecodeFailure,
  type GuestServer,
  type LostForm,
} from '@backlot/kit/http';
import type { CompiledReply } from './answer/compiled-reply.js';
import { isEventStream } from './answer/compiled-stream.js';
import { PacedAnswer } from './answer/paced-answer.js';
import type { Sending } from './answer/sending.js';
import { shapeAnswer, type Shaping } from './answer/shaping.js';
import { StreamAnswer } from './answer/stream-answer.js';
import { BodyIntake } from './body-intake.js';
import type { Call } from './call.js';
import type { Guests } from './guests.js';
import { challengeAnswer } from './answer/challenge-answer.js';
import type { HttpChallenge } from './auth/index.js';
import { decide } from './decide.js';
import { abortAnswer, dropLater, faultAnswer, loseAnswer, truncateAnswer } from './fault.js';
import { HttpMessage } from './message.js';
import type { ContractGate } from './contract/gate.js';
import { handOver } from './hand-over.js';
import { refuseRequest } from './refuse-request.js';
import type { HttpContext, HttpMatch, HttpOutcome } from './shape.js';
import { hasBody } from './wire/has-body.js';
import type { HttpConnection } from './wire/connection.js';
import type { Relay, RelayedServer } from './upstream/relay.js';
import { switchOver } from './wire/switch-over.js';
import {
  asOutgoing,
  asServerResponse,
  sendAnswer,
  sendHead,
  type Incoming,
  type Outgoing,
} from './wire/outgoing.js';

/** Answers requests. */
export class RequestHandler {
  readonly #context: HttpContext;
  readonly #hasCors: boolean;
  readonly #bodies: BodyIntake;
  /** The kinds that share the listener, when there are any. */
  guests: Guests | undefined = undefined;
  readonly #streams = new Set<StreamAnswer>();
  /** Requests without a mock whose answers were broken. */
  #lost = 0;

  /** Asks the upstream, where there is one. */
  #relay: Relay | undefined;
  /** Holds requests and answers to the contract, where there is one. */
  readonly #gate: ContractGate | undefined;

  constructor(context: HttpContext, relay?: Relay, gate?: ContractGate) {
    this.#gate = gate;
    this.#context = context;
    this.#relay = relay;
    this.#hasCors = context.config.cors ?? false;
    this.#bodies = new BodyIntake(context.config);
  }

  /** Takes one request; `connection` is absent when it has gone already. */
  readonly handle = (request: Incoming, response: Outgoing, connection: HttpConnection): void => {
    if (refuseRequest(request, response)) return;
    if (handOver(this.#context.spaces, request, response, connection)) return;
    const { guests } = this;
    if (
      guests?.takeStream(
        request,
        connection,
        () => this.message(request, connection, undefined),
        () => this.serverOf(request, connection),
      ) === true
    )
      return;
    if (!hasBody(request)) {
      this.#receive(request, response, connection, undefined);
      return;
    }
    this.#bodies.read(request, connection, (body) => {
      if (!Buffer.isBuffer(body)) this.#refuseBody(request, response, connection, body);
      else this.#receive(request, response, connection, body.length === 0 ? undefined : body);
    });
  };

  /** A client that waits for leave to send its body (RFC 9110, section 10.1.1) is refused before it has sent it. */
  readonly handleExpectation = (request: Incoming, response: Outgoing, connection: HttpConnection): void => {
    if (!this.#bodies.announcesTooMuch(request)) response.writeContinue();
    this.handle(request, response, connection);
  };

  /** The server that a request to the proxy is for, for a kind that shares the listener. */
  serverOf(request: Incoming, connection: HttpConnection): GuestServer | undefined {
    return this.#relay?.serverOf(connection.originOf(request));
  }

  /** Whether an upgrade is passed on that nobody here takes. */
  takesUpgrade(request: Incoming, connection: HttpConnection): boolean {
    return this.#relay?.leads(connection.originOf(request)) === true;
  }

  /** Takes an upgrade that is passed on, unless a mock answers the request. */
  handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, connection: HttpConnection): void {
    const message = this.message(request, connection, undefined);
    // Node has left the connection; what is answered by other than the upgrade is its last answer.
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => connection.kit.end());
    const call: Call = {
      ...{ request, connection, response: asOutgoing(response) },
      exchange: this.#context.receive(message),
      upgrade: (answer, far, farHead) => {
        response.detachSocket(socket);
        switchOver({ answer, far, farHead, socket, head, connection: connection.kit });
      },
    };
    try {
      this.#relay?.take(call, this.#relayed);
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  /** Forgets what was recorded. */
  reset(): void {
    this.#relay?.reset();
  }

  /** Closes the connections to upstreams. */
  stop(): void {
    this.#relay?.stop();
  }

  /** Ends the open streams normally. */
  endStreams(): void {
    for (const open of this.#streams) open.close(undefined);
  }

  /** What mocks see of a request. */
  message(request: Incoming, connection: HttpConnection, body: Buffer | undefined): HttpMessage {
    const method = request.method ?? 'GET';
    const origin = connection.originOf(request);
    return new HttpMessage({
      method,
      target: request.url ?? '/',
      rawHeaders: request.rawHeaders,
      remote: connection.remote,
      body,
      auth: connection.auth,
      isSecure: origin?.isSecure ?? connection.kit.encrypted,
      preflight: this.#hasCors && isPreflight(method, request.headers),
      origin,
    });
  }

  #receive(
    request: Incoming,
    response: Outgoing,
    connection: HttpConnection,
    body: Buffer | undefined,
  ): void {
    if (request.httpVersionMajor < 2) connection.latest = asServerResponse(response);
    const message = this.message(request, connection, body);
    if (this.guests?.takeRequest(request, response, connection, message) === true) return;
    const exchange = this.#context.receive(message);
    const call: Call = { request, response, connection, exchange };
    try {
      this.#when(call, this.#gate?.refuse(call), (refusal) => {
        if (refusal === undefined) this.#ask(call);
        else this.#send(call, refusal);
      });
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  /** Asks the upstream or the mocks. */
  #ask(call: Call): void {
    const { exchange } = call;
    try {
      if (this.#relay !== undefined) return this.#relay.take(call, this.#relayed);
      const outcome = decide(exchange);
      if (outcome instanceof Promise) this.#answerLater(call, outcome);
      else this.#answer(call, outcome);
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  /** Goes on with what is there now or later, unless the client has left meanwhile. */
  #when<T>(call: Call, value: T | Promise<T>, go: (value: T) => void): void {
    if (!(value instanceof Promise)) return go(value);
    if (!call.connection.held.isHolding(call.exchange)) this.#hold(call);
    value
      .then((made) => (call.exchange.ended ? undefined : go(made)))
      .catch((thrown: unknown) => this.#fail(call, thrown));
  }

  readonly #relayed: RelayedServer = {
    isDecoded: ({ request }) => this.#bodies.takesCodingsOff(request),
    answer: (call, outcome) => this.#answer(call, outcome),
    send: (call, answer) => this.#send(call, answer),
    hold: (call) => this.#hold(call),
    fail: (call, thrown) => this.#fail(call, thrown),
  };

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
        return this.#when(call, this.#gate?.make(call), (made) =>
          this.#send(call, made ?? this.#unmatched(call)),
        );
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
    if (compiled.upstream !== undefined && call.isOwn !== true)
      return this.#askUpstream(call, match, compiled.upstream);
    const { only } = compiled;
    if (only !== undefined)
      return this.#when(call, this.#gate?.checked(call, only) ?? only, (answer) => this.#send(call, answer));
    const reply = compiled.replies.pick(match.call);
    const delay = match.delayOf(reply.delay);
    if (delay > 0) {
      const { exchange } = call;
      if (!call.connection.held.isHolding(exchange)) this.#hold(call);
      exchange
        .wait(delay)
        .then((isThere) => (isThere ? this.#sendMatch(call, match) : undefined))
        .catch((thrown: unknown) => this.#fail(call, thrown));
      return;
    }
    this.#sendMatch(call, match);
  }

  /** Answers as the mock's own upstream does. */
  #askUpstream(call: Call, match: HttpMatch, upstream: Upstream): void {
    // In comparing its answer with that of the other upstream nothing would be learnt about mocks.
    call.compare?.(undefined);
    call.compare = undefined;
    if (this.#relay !== undefined && match.delayOf(0) === 0)
      return this.#relay.takeMatch(call, match, upstream, this.#relayed);
    if (!call.connection.held.isHolding(call.exchange)) this.#hold(call);
    const make = async (): Promise<void> => {
      const { Relay } = await import('./upstream/relay.js');
      this.#relay ??= new Relay(this.#context, undefined);
      const delay = match.delayOf(0);
      if (delay > 0 && !(await call.exchange.wait(delay))) return;
      if (!call.exchange.ended) this.#relay.takeMatch(call, match, upstream, this.#relayed);
    };
    make().catch((thrown: unknown) => this.#fail(call, thrown));
  }

  #sendMatch(call: Call, match: HttpMatch): void {
    const { compiled } = match.mock;
    const reply = compiled.replies.pick(match.call);
    if (compiled.stream !== undefined)
      this.#stream(
        call,
        match,
        reply.head((template) => match.render(template), call.exchange.message.body),
      );
    else {
      const form = reply.sending && lostFormOf(reply.sending);
      if (form !== undefined) return this.#lose(call, form, match);
      const made = reply.fixed ?? makeAnswer(reply, match, call);
      this.#when(call, this.#gate?.checked(call, made) ?? made, (answer) => {
        if (reply.shaping === undefined) this.#sendAs(call, answer, answer, reply.sending);
        else this.#shape(call, answer, reply, reply.shaping);
      });
    }
  }

  #shape(call: Call, answer: HttpAnswer, { sending }: CompiledReply, shaping: Shaping): void {
    const { exchange, connection } = call;
    const shaped = shapeAnswer(answer, shaping, exchange.message);
    if (!(shaped instanceof Promise)) {
      this.#sendAs(call, shaped.sent, shaped.sent, sending);
      return;
    }
    if (!connection.held.isHolding(exchange)) this.#hold(call);
    shaped
      .then(({ sent, shown }) => (exchange.ended ? undefined : this.#sendAs(call, sent, shown, sending)))
      .catch((thrown: unknown) => this.#fail(call, thrown));
  }

  /** Sends an answer slowly, in part, or as ever. */
  #sendAs(call: Call, made: HttpAnswer, shown: Reply, sending: Sending | undefined): void {
    const { request, response, exchange, connection } = call;
    if (call.compare !== undefined) {
      call.compare(made);
      call.compare = undefined;
    }
    const size = made.body?.length ?? 0;
    if (sending === undefined || size === 0 || request.method === 'HEAD')
      return this.#send(call, made, made === shown ? undefined : shown);
    const answer = this.#withCors(call, made);
    const bytes = sending.broken === undefined ? size : truncatedLength(size);
    if (sending.pace === undefined) {
      exchange.done(shown);
      return truncateAnswer(request, response, answer, bytes, connection);
    }
    if (!connection.held.isHolding(exchange)) this.#hold(call);
    sendHead(request, response, answer);
    exchange.started({ status: answer.status, headers: answer.headers });
    new PacedAnswer({
      ...{ context: this.#context, exchange, response, answer, pace: sending.pace, bytes, shown },
      drop: () => dropLater(request, response, connection),
    }).start();
  }

  /** Ends a request without its answer. */
  #lose(call: Call, form: LostForm, match: HttpMatch | undefined): void {
    const { request, exchange, connection } = call;
    call.compare?.(undefined);
    exchange.done({});
    const parts = match === undefined ? [(this.#lost += 1)] : [match.mock.id, match.call];
    loseAnswer(request, connection, form, this.#context.random('garbage', ...parts));
  }

  #stream(call: Call, match: HttpMatch, made: HttpAnswer): void {
    const { request, response, exchange, connection } = call;
    const { stream } = match.mock.compiled;
    if (stream === undefined) return;
    if (request.method !== 'HEAD') call.compare?.(undefined);
    const answer = this.#withCors(call, made);
    const start = answer.withoutBody();
    if (request.method === 'HEAD') {
      this.#send(call, start);
      return;
    }
    if (!connection.held.isHolding(exchange)) this.#hold(call);
    sendHead(request, response, start);
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
    open.start(answer.body);
  }

  #answerFault(call: Call, outcome: Extract<HttpOutcome, { type: 'fault' }>): void {
    const { request, response, exchange, connection } = call;
    const { given, match } = outcome;
    const form = lostFormOf(given);
    if (form !== undefined) return this.#lose(call, form, match);
    const answer = faultAnswer(outcome, match, exchange.message.body);
    const bytes = bytesBeforeEnd(given, answer);
    if (bytes !== undefined) {
      exchange.done(answer);
      truncateAnswer(request, response, answer, bytes, connection);
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

  /** @param shown - what the journal shows in its place */
  #send(call: Call, made: HttpAnswer, shown?: Reply): void {
    call.compare?.(made);
    const answer = this.#hasCors ? this.#withCors(call, made) : made;
    const { exchange } = call;
    // Afterwards the exchange may hold what the journal keeps of the message in its place.
    const { message } = exchange;
    sendAnswer(call.request, call.response, answer);
    exchange.done(shown ?? answer);
    message.forget();
  }

  #withCors({ exchange }: Call, answer: HttpAnswer): HttpAnswer {
    const headers = this.#hasCors ? corsHeaders(exchange.message) : undefined;
    return headers === undefined ? answer : answer.withHeaders(headers);
  }

  #refuseBody(
    request: Incoming,
    response: Outgoing,
    connection: HttpConnection,
    failure: DecodeFailure,
  ): void {
    const exchange = this.#context.receive(this.message(request, connection, undefined));
    this.#bodies.refuse(request, response, connection, exchange, failure);
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

function makeAnswer(reply: CompiledReply, match: HttpMatch, { exchange }: Call): HttpAnswer {
  return reply.make((template) => match.render(template), exchange.message.body);
}
