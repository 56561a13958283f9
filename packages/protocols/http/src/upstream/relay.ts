import type { IncomingMessage } from 'node:http';
import { messageOf, type Upstream } from '@backlot/core/plugin';
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
import type { OwnPath } from './rewrite-header.js';
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
  readonly #mode: Upstream['mode'];
  readonly #forwarder: Forwarder;
  readonly #log: UpstreamLog;
  readonly #book: RecordingBook | undefined;

  constructor(context: HttpContext, upstream: Upstream) {
    const { log, mocks } = context;
    this.#context = context;
    this.#mode = upstream.mode;
    this.#forwarder = new Forwarder(upstream);
    this.#log = new UpstreamLog(upstream, (text) => log.warn(text));
    if (upstream.mode === 'record_new' || upstream.mode === 'record_all')
      this.#book = new RecordingBook({
        mocks,
        log,
        replaces: upstream.mode === 'record_all',
        answer: answersOf,
      });
  }

  readonly #ownPath: OwnPath = (location) => this.#forwarder.ownPath(location);

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
    const kept = withoutSecrets(message, request.rawHeaders);
    let isOver = false;
    if (!connection.held.isHolding(exchange)) server.hold(call);
    const outgoing = this.#forwarder.send(
      message,
      request.rawHeaders,
      server.isDecoded(call),
      connection.kit.isolate((answer: IncomingMessage) => {
        this.#log.worked();
        exchange.noteUpstream({ answered: true }, kept);
        passAnswer(call, answer, {
          limit: MAX_COPY,
          further: this.#context.config.cors === true ? (corsHeaders(message) ?? {}) : {},
          ownPath: this.#ownPath,
          finish: (bytes) => this.#finish(call, answer, bytes, match),
          over: () => (isOver = true),
        });
      }),
      connection.kit.isolate((error: unknown) => {
        if (isOver || response.headersSent || exchange.ended) return;
        isOver = true;
        this.#log.failed(error);
        exchange.noteUpstream({}, kept);
        server.send(
          call,
          jsonAnswer(502, { error: `the upstream gave no answer: ${describeFailure(error)}` }),
        );
      }),
    );
    response.once('close', () => {
      if (!isOver) outgoing.destroy();
      isOver = true;
    });
  }

  /** The whole answer is there. @param bytes - absent when there were too many to keep */
  async #finish(
    { exchange }: Call,
    answer: IncomingMessage,
    bytes: Buffer | undefined,
    match: RequestMatch | undefined,
  ): Promise<void> {
    const { method, path } = exchange.message;
    const what = `what the upstream has answered to ${method} ${path}`;
    try {
      if (bytes === undefined) throw new Error(`its body is longer than ${MAX_COPY / 1024 / 1024} MiB`);
      const copy = await copyAnswer(answer, bytes, this.#ownPath);
      if (exchange.ended) return;
      this.#record(exchange, match, copy);
      exchange.done({ status: copy.status, headers: copy.headers, body: copy.body });
    } catch (thrown) {
      this.#context.log.warn(
        `${what} is not ${match === undefined ? 'shown' : 'recorded'}: ${messageOf(thrown)}`,
      );
      if (!exchange.ended) exchange.done({ status: answer.statusCode ?? 200 });
    }
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
    let isOver = false;
    const go = (compare: (answer: HttpAnswer) => readonly string[]): void => {
      if (isOver) return;
      isOver = true;
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
    const outgoing = this.#forwarder.send(
      exchange.message,
      request.rawHeaders,
      server.isDecoded(call),
      (answer) => {
        this.#log.worked();
        readWhole(answer)
          .then((bytes) => copyAnswer(answer, bytes, this.#ownPath))
          .then((copy) => go((mocked) => differencesOf(mocked, copy)), fail);
      },
      fail,
    );
    response.once('close', () => {
      if (!isOver) outgoing.destroy();
      isOver = true;
    });
  }
}

async function readWhole(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_COPY) throw new Error(`its body is longer than ${MAX_COPY / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
