import type { IncomingMessage } from 'node:http';
import { messageOf, type Upstream } from '@backlot/core/plugin';
import { timers } from '@backlot/kit';
import { corsHeaders, jsonAnswer, type HttpAnswer } from '@backlot/kit/http';
import { Forwarder, type OwnPlace } from '@backlot/kit/http-upstream';
import { COMPARE_TIMEOUT, describeFailure, UpstreamDesk } from '@backlot/kit/upstream';
import type { Call } from '../call.js';
import { decide } from '../decide.js';
import type { HttpContext, HttpOutcome } from '../shape.js';
import { copyAnswer, MAX_COPY, type AnswerCopy } from './answer-copy.js';
import { answersOf, responseOf } from './answer-fields.js';
import { differencesOf } from './compare.js';
import { passAnswer } from './pass-answer.js';
import { matchOf, withoutSecrets, type RequestMatch } from './request-match.js';

/** What the relay needs of the server. */
export interface RelayedServer {
  /** Whether codings were taken off the body of the request. */
  readonly isDecoded: (call: Call) => boolean;
  /** Answers as without an upstream. */
  readonly answer: (call: Call, outcome: HttpOutcome) => void;
  /** Sends an answer of our own. */
  readonly send: (call: Call, answer: HttpAnswer) => void;
  /** From now on the client may leave before it is answered. */
  readonly hold: (call: Call) => void;
  /** An answer could not be made. */
  readonly fail: (call: Call, thrown: unknown) => void;
}

/** Asks an upstream in the place of mocks, or beside them. */
export class Relay {
  readonly #context: HttpContext;
  readonly #desk: UpstreamDesk;
  readonly #forwarder: Forwarder;
  readonly #path: string;

  constructor(context: HttpContext, upstream: Upstream) {
    this.#context = context;
    this.#path = upstream.path;
    this.#desk = new UpstreamDesk(context, upstream, { form: { as: 'sequence', answer: answersOf } });
    this.#forwarder = new Forwarder(upstream, {
      decodes: upstream.mode !== 'passthrough' && upstream.mode !== 'spy',
    });
  }

  #placeOf({ message }: Call['exchange']): OwnPlace {
    return { path: this.#path, locate: (location) => this.#forwarder.locate(location, message) };
  }

  /** Takes a request that the server would ask its mocks about. */
  take(call: Call, server: RelayedServer): void {
    const { message } = call.exchange;
    const match = this.#desk.records ? matchOf(message) : undefined;
    const outcome = this.#desk.asksMocks(match?.key)
      ? decide(call.exchange)
      : call.exchange.resolve({ mocks: false });
    if (!(outcome instanceof Promise)) return this.#decided(call, outcome, server, match);
    server.hold(call);
    outcome
      .then((decided) => this.#decided(call, decided, server, match))
      .catch((thrown: unknown) => server.fail(call, thrown));
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.#desk.reset();
  }

  stop(): void {
    this.#forwarder.stop();
  }

  #decided(call: Call, outcome: HttpOutcome, server: RelayedServer, match: RequestMatch | undefined): void {
    const { message } = call.exchange;
    const answerer = this.#desk.answererOf(outcome);
    if (answerer === 'both') this.#compare(call, outcome, server);
    else if (answerer === 'upstream' && !message.preflight) this.#relay(call, server, match);
    else server.answer(call, outcome);
  }

  /** Answers as the upstream does. */
  #relay(call: Call, server: RelayedServer, match: RequestMatch | undefined): void {
    const { request, response, exchange, connection } = call;
    const { message } = exchange;
    const own = this.#placeOf(exchange);
    // Whatever becomes of it, the log has the message without its secrets.
    exchange.noteUpstream({}, withoutSecrets(message, request.rawHeaders));
    let isOver = false;
    if (!connection.held.isHolding(exchange)) server.hold(call);
    const giveUp = this.#forwarder.send({
      message,
      rawHeaders: request.rawHeaders,
      isDecoded: server.isDecoded(call),
      take: connection.kit.isolate((answer: IncomingMessage) => {
        this.#desk.upstreamLog.worked();
        exchange.noteUpstream({ answered: true });
        passAnswer(call, answer, {
          limit: MAX_COPY,
          further: this.#context.config.cors === true ? (corsHeaders(message) ?? {}) : {},
          own,
          finish: (bytes) => this.#finish(call, answer, bytes, own, match),
          over: () => (isOver = true),
        });
      }),
      fail: connection.kit.isolate((error: unknown) => {
        if (isOver || response.headersSent || exchange.ended) return;
        isOver = true;
        this.#desk.upstreamLog.failed(error);
        server.send(
          call,
          jsonAnswer(502, { error: `the upstream gave no answer: ${describeFailure(error)}` }),
        );
      }),
    });
    response.once('close', () => {
      if (!isOver) giveUp();
      isOver = true;
    });
  }

  /** The whole answer is there. @param bytes - absent when there were too many to keep */
  async #finish(
    { exchange }: Call,
    answer: IncomingMessage,
    bytes: Buffer | undefined,
    own: OwnPlace,
    match: RequestMatch | undefined,
  ): Promise<void> {
    try {
      if (bytes === undefined) throw tooLong();
      const copy = await copyAnswer(answer, bytes, own, match !== undefined);
      if (exchange.ended) return;
      this.#record(exchange, match, copy);
      exchange.done({ status: copy.status, headers: copy.headers, body: copy.body });
    } catch (thrown) {
      this.#desk.tell(exchange, match === undefined ? 'shown' : 'recorded', messageOf(thrown));
      if (!exchange.ended) exchange.done({ status: answer.statusCode ?? 200 });
    }
  }

  #record(exchange: Call['exchange'], match: RequestMatch | undefined, copy: AnswerCopy): void {
    if (match === undefined) return;
    const { key, name, request, patterns } = match;
    // Mocks of GET answer HEAD as well, and must not do so here: a call of theirs would be used up.
    const matchFields = { ...(request['method'] === 'HEAD' ? { priority: 1 } : {}), request };
    this.#desk.record(exchange, [{ key, name, match: matchFields, answer: responseOf(copy) }], patterns);
  }

  /** Answers by the mock, once it is known what the upstream would have answered. */
  #compare(call: Call, outcome: HttpOutcome, server: RelayedServer): void {
    const { request, response, exchange, connection } = call;
    if (!connection.held.isHolding(exchange)) server.hold(call);
    const own = this.#placeOf(exchange);
    let isOver = false;
    const go = (compare: Compare): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      if (exchange.ended) return;
      call.compare = (answer) => exchange.noteUpstream({ differences: compare(answer) });
      connection.kit.isolate(() => {
        try {
          server.answer(call, outcome);
        } catch (thrown) {
          server.fail(call, thrown);
        }
      })();
    };
    const fail = (error: unknown): void => {
      if (!isOver) this.#desk.upstreamLog.failed(error);
      go(() => [`the upstream gave no answer: ${describeFailure(error)}`]);
    };
    const giveUp = this.#forwarder.send({
      message: exchange.message,
      rawHeaders: request.rawHeaders,
      isDecoded: server.isDecoded(call),
      take: (answer) => {
        this.#desk.upstreamLog.worked();
        readWhole(answer)
          .then((bytes) => copyAnswer(answer, bytes, own, true))
          .then(
            (copy) =>
              go((mocked) =>
                mocked === undefined
                  ? [notCompared('the mock gives no whole answer')]
                  : differencesOf(mocked, copy, request.method),
              ),
            (thrown: unknown) => go(() => [notCompared(`that of the upstream: ${messageOf(thrown)}`)]),
          );
      },
      fail,
    });
    const timer = timers.after(COMPARE_TIMEOUT, () => {
      giveUp();
      go(() => [`the upstream gave no whole answer within ${COMPARE_TIMEOUT / 1000} s`]);
    });
    response.once('close', () => {
      timer.cancel();
      if (!isOver) giveUp();
      isOver = true;
    });
  }
}

/** What there is to say of the answer of a mock; `undefined` for one that is a stream, or is lost. */
type Compare = (answer: HttpAnswer | undefined) => readonly string[];

function notCompared(reason: string): string {
  return `the answers were not compared: ${reason}`;
}

function tooLong(): Error {
  return new Error(`its body is longer than ${MAX_COPY / 1024 / 1024} MiB`);
}

async function readWhole(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_COPY) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
