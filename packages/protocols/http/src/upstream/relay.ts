import type { IncomingMessage } from 'node:http';
import { messageOf, type Upstream } from '@backlot/core/plugin';
import { timers } from '@backlot/kit';
import { corsHeaders, jsonAnswer, type HttpAnswer } from '@backlot/kit/http';
import { describeFailure, RecordingBook, UpstreamLog } from '@backlot/kit/upstream';
import type { Call } from '../call.js';
import { decide } from '../decide.js';
import type { HttpContext, HttpOutcome } from '../shape.js';
import { copyAnswer, MAX_COPY, type AnswerCopy } from './answer-copy.js';
import { answersOf, responseOf } from './answer-fields.js';
import { differencesOf } from './compare.js';
import { Forwarder } from './forward.js';
import { passAnswer } from './pass-answer.js';
import type { OwnPlace } from './rewrite-header.js';
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

/** Milliseconds after which a mock answers without what the upstream would have said. */
const COMPARE_TIMEOUT = 10_000;
/** The most reasons for which answers were not kept that are remembered, so that each is told once. */
const MAX_REASONS = 100;

/** Asks an upstream in the place of mocks, or beside them. */
export class Relay {
  readonly #context: HttpContext;
  readonly #mode: Upstream['mode'];
  readonly #forwarder: Forwarder;
  readonly #log: UpstreamLog;
  readonly #book: RecordingBook | undefined;
  readonly #path: string;
  /** Why answers were not kept, as far as it was told. */
  readonly #told = new Set<string>();

  constructor(context: HttpContext, upstream: Upstream) {
    const { log, mocks } = context;
    this.#context = context;
    this.#mode = upstream.mode;
    this.#path = upstream.path;
    this.#forwarder = new Forwarder(upstream, {
      decodes: upstream.mode !== 'passthrough' && upstream.mode !== 'spy',
    });
    this.#log = new UpstreamLog(upstream, (text) => log.warn(text));
    if (upstream.mode === 'record_new' || upstream.mode === 'record_all')
      this.#book = new RecordingBook({
        mocks,
        log,
        replaces: upstream.mode === 'record_all',
        answer: answersOf,
      });
  }

  #placeOf({ message }: Call['exchange']): OwnPlace {
    return { path: this.#path, locate: (location) => this.#forwarder.locate(location, message) };
  }

  /** Takes a request that the server would ask its mocks about. */
  take(call: Call, server: RelayedServer): void {
    const { message } = call.exchange;
    const match = this.#book === undefined ? undefined : matchOf(message);
    const asksMocks =
      this.#mode !== 'passthrough' &&
      this.#mode !== 'record_all' &&
      (match === undefined || this.#book?.has(match.key) !== true);
    const outcome = asksMocks ? decide(call.exchange) : call.exchange.resolve({ mocks: false });
    if (!(outcome instanceof Promise)) return this.#decided(call, outcome, server, match);
    server.hold(call);
    outcome
      .then((decided) => this.#decided(call, decided, server, match))
      .catch((thrown: unknown) => server.fail(call, thrown));
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.#book?.clear();
    this.#told.clear();
  }

  stop(): void {
    this.#forwarder.stop();
  }

  #decided(call: Call, outcome: HttpOutcome, server: RelayedServer, match: RequestMatch | undefined): void {
    const { message } = call.exchange;
    if (this.#mode === 'diff' && outcome.type === 'matched') this.#compare(call, outcome, server);
    else if (this.#mode !== 'diff' && this.#isUpstreams(outcome) && !message.preflight)
      this.#relay(call, server, match);
    else server.answer(call, outcome);
  }

  /** Whether the upstream is to answer: no mock does, or one that was recorded a moment ago, as a mock of GET does for HEAD. */
  #isUpstreams(outcome: HttpOutcome): boolean {
    if (outcome.type === 'matched') return this.#book?.made(outcome.mock.id) === true;
    return outcome.type === 'unmatched';
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
        this.#log.worked();
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
        this.#log.failed(error);
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
      this.#tell(exchange, match === undefined ? 'shown' : 'recorded', messageOf(thrown));
      if (!exchange.ended) exchange.done({ status: answer.statusCode ?? 200 });
    }
  }

  /** Says why an answer is not kept, once for each reason. */
  #tell({ message: { method, path } }: Call['exchange'], verb: string, reason: string): void {
    if (this.#told.has(reason) || this.#told.size >= MAX_REASONS) return;
    this.#told.add(reason);
    this.#context.log.warn(`what the upstream has answered to ${method} ${path} is not ${verb}: ${reason}`);
  }

  #record(exchange: Call['exchange'], match: RequestMatch | undefined, copy: AnswerCopy): void {
    // After a reset it would be a mock of a world that is gone.
    if (match === undefined || !exchange.isCurrent) return;
    const { key, name, request, patterns } = match;
    // Mocks of GET answer HEAD as well, and must not do so here: a call of theirs would be used up.
    const matchFields = { ...(request['method'] === 'HEAD' ? { priority: 1 } : {}), request };
    const id = this.#book?.add({ key, name, match: matchFields, answer: responseOf(copy) });
    if (id === undefined) return;
    exchange.noteUpstream({
      answered: true,
      recorded_id: id,
      ...(patterns.length === 0 ? {} : { patterns }),
    });
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
      if (!isOver) this.#log.failed(error);
      go(() => [`the upstream gave no answer: ${describeFailure(error)}`]);
    };
    const giveUp = this.#forwarder.send({
      message: exchange.message,
      rawHeaders: request.rawHeaders,
      isDecoded: server.isDecoded(call),
      take: (answer) => {
        this.#log.worked();
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
