import type { Connection } from '@backlot/kit';
import { timers } from '@backlot/kit';
import { COMPARE_TIMEOUT, Differences, type UpstreamDesk } from '@backlot/kit/upstream';
import type { WebSocket } from 'ws';
import { makePart, type Answer, type Step } from '../answer.js';
import { Answering } from '../answering.js';
import type { Talking } from '../dialects/speech.js';
import type { Handshake } from '../handshake.js';
import { informOfEnd } from '../inform-of-end.js';
import { WebsocketMessage } from '../message.js';
import type { WebsocketContext, WebsocketExchange, WebsocketMatch, WebsocketOutcome } from '../shape.js';
import { Backlog, type Waiting } from '../wire/backlog.js';
import { clipReason, GOING_AWAY, INTERNAL_ERROR, sendableCode } from '../wire/close-code.js';
import { Outgoing } from '../wire/outgoing.js';
import { greetingMatch, messageMatch, redactMessage, type MessageMatch } from './message-match.js';
import { Turn, type KnownAnswers } from './turn.js';

/** What a connection that is passed on is made of. */
export interface RelayedParts {
  /** To the client. */
  readonly near: WebSocket;
  /** To the upstream. */
  readonly far: WebSocket;
  readonly connection: Connection;
  readonly handshake: Handshake;
  /** The handshake without its secrets. */
  readonly kept: Handshake;
  readonly context: WebsocketContext;
  readonly desk: UpstreamDesk;
  readonly known: KnownAnswers;
  /** Whether there are connections for other hosts, so that recordings are for one. */
  readonly namesHost: boolean;
}

/** Messages of an answer that is compared with that of a mock. */
interface Comparison {
  readonly count: number;
  readonly messages: (string | Buffer)[];
  readonly done: () => void;
}

/** A side for which more waits than this has the other one wait. */
const MAX_WAITING = 1024 * 1024;
/** The close code of a connection that was lost without one (RFC 6455, section 7.1.5). */
const LOST = 1006;
const AMBIGUOUS =
  'the client has sent on before it was answered, so that nobody can tell what answers what on its connection';

/** A connection of a client, and the one to the upstream that belongs to it. */
export class RelayedConnection implements Talking {
  readonly #parts: RelayedParts;
  readonly #backlog: Backlog;
  readonly #answering: Answering;
  readonly #outgoing: Outgoing;
  #turn: Turn | undefined;
  /** Whether a mock has greeted the client in place of the upstream, to which nothing was sent so far. */
  #isMuted = false;
  /** Whether the answers of the upstream belong to what was sent last. */
  #isPaired = true;
  #isBusy = false;
  #comparison: Comparison | undefined;
  /** Looks at the messages of a mock. */
  #sent: (string | Buffer)[] = [];
  #whenSent: (() => void) | undefined;
  #isClosing = false;

  constructor(parts: RelayedParts) {
    this.#parts = parts;
    const { near, far, connection, context } = parts;
    this.#backlog = new Backlog(near);
    const outgoing = new Outgoing(connection, () => undefined);
    this.#outgoing = outgoing;
    this.#answering = new Answering(context, {
      get isChoked() {
        return outgoing.isChoked;
      },
      whenRead: () => outgoing.whenRead(),
      send: (exchange, match, step) => this.#send(exchange, match, step),
      close: (code, reason) => this.#close(code, reason),
    });
    near.on('message', (data: Buffer, isBinary: boolean) => this.#take({ data, isBinary }));
    near.on('ping', (data: Buffer) => far.ping(data));
    near.on('pong', (data: Buffer) => far.pong(data));
    near.on('error', () => undefined);
    near.on('close', (code: number, reason: Buffer) => this.#leave(code, String(reason)));
    far.on(
      'message',
      connection.isolate((data: Buffer, isBinary: boolean) => this.receive(data, isBinary)),
    );
    far.on('ping', (data: Buffer) => near.ping(data));
    far.on('pong', (data: Buffer) => near.pong(data));
    far.on('error', () => undefined);
    far.on(
      'close',
      connection.isolate((code: number, reason: Buffer) => this.#end(code, String(reason))),
    );
  }

  /** Begins with the client that has connected, as the mocks have decided. */
  begin(exchange: WebsocketExchange, outcome: WebsocketOutcome): void {
    const { desk, handshake, namesHost } = this.#parts;
    const match = desk.records ? greetingMatch(handshake, namesHost) : undefined;
    const answerer = desk.answererOf(outcome);
    const greeting = outcome.type === 'matched' ? outcome.mock.compiled.greeting : undefined;
    if (answerer === 'upstream' || outcome.type !== 'matched' || greeting === undefined) {
      this.#turn = this.#begin(exchange, match);
      exchange.started({ status: 101 });
      return;
    }
    this.#isMuted = true;
    this.#isBusy = true;
    exchange.started({ status: 101 });
    this.#finishWith(this.#answerByMock(exchange, outcome, greeting, answerer === 'both' ? undefined : null));
  }

  /** The upstream has sent a message. */
  receive(data: Buffer, isBinary: boolean): void {
    const message = isBinary ? data : data.toString('utf8');
    const comparison = this.#comparison;
    if (comparison !== undefined) {
      comparison.messages.push(message);
      if (comparison.messages.length >= comparison.count) comparison.done();
      return;
    }
    if (this.#isMuted || this.#isClosing) return;
    this.#turn?.add(message);
    const { near, far } = this.#parts;
    pass(near, far, data, isBinary);
  }

  stop(): void {
    this.#close(GOING_AWAY, '');
  }

  stopNow(): void {
    this.#close(GOING_AWAY, '');
  }

  #take(message: Waiting): void {
    if (this.#isClosing) return;
    if (this.#isBusy) this.#backlog.add(message);
    else this.#answer(message);
  }

  #answer({ data, isBinary }: Waiting): void {
    const { context, desk, handshake, kept, namesHost } = this.#parts;
    const body = isBinary ? data : data.toString('utf8');
    const exchange = context.receive(new WebsocketMessage('MESSAGE', handshake, body));
    const match = desk.records ? messageMatch(handshake, namesHost, body) : undefined;
    this.#isBusy = true;
    const follow = (outcome: WebsocketOutcome): Promise<void> | undefined => {
      exchange.noteUpstream({}, new WebsocketMessage('MESSAGE', kept, redactMessage(body)));
      return this.#follow(exchange, outcome, { data, isBinary }, match);
    };
    const outcome = desk.asksMocks(match?.key) ? exchange.resolve() : exchange.resolve({ mocks: false });
    if (outcome instanceof Promise) return this.#finishWith(outcome.then(follow));
    this.#finishWith(follow(outcome));
  }

  #follow(
    exchange: WebsocketExchange,
    outcome: WebsocketOutcome,
    message: Waiting,
    match: MessageMatch | undefined,
  ): Promise<void> | undefined {
    const { desk, far, near } = this.#parts;
    const answerer = desk.answererOf(outcome);
    if (answerer !== 'upstream' && outcome.type === 'matched') {
      const rule = outcome.mock.compiled.ruleFor(exchange.message);
      if (rule === undefined) {
        exchange.done();
        return undefined;
      }
      return this.#answerByMock(exchange, outcome, rule.answer, answerer === 'both' ? message : null);
    }
    if (outcome.type === 'fault') {
      const { close_code: code = INTERNAL_ERROR, message: reason = '' } = outcome.fault;
      exchange.done({ status: code });
      this.#close(code, reason);
      return undefined;
    }
    if (outcome.type === 'aborted') return undefined;
    const before = this.#turn;
    if (before !== undefined && !before.isGreeting && !before.isAnswered) {
      this.#isPaired = false;
      before.problem = AMBIGUOUS;
    }
    before?.end();
    this.#isMuted = false;
    this.#turn = this.#begin(exchange, match);
    if (!this.#isPaired) this.#turn.problem = AMBIGUOUS;
    pass(far, near, message.data, message.isBinary);
    return undefined;
  }

  #begin(exchange: WebsocketExchange, match: MessageMatch | undefined): Turn {
    const { desk, known } = this.#parts;
    return new Turn(exchange, match, desk, known);
  }

  /** @param asked - what the upstream is asked as well; nothing is sent for a greeting, and `null` compares nothing */
  async #answerByMock(
    exchange: WebsocketExchange,
    match: WebsocketMatch,
    answer: Answer,
    asked: Waiting | undefined | null,
  ): Promise<void> {
    if (asked !== null) await this.#compare(exchange, answer, asked);
    if (exchange.ended) return;
    await this.#answering.give(exchange, match, answer);
    this.#whenSent = undefined;
  }

  /** Asks the upstream for as many messages as the mock has, and looks at those of the mock once they are sent. */
  async #compare(exchange: WebsocketExchange, answer: Answer, asked: Waiting | undefined): Promise<void> {
    const { near, far } = this.#parts;
    const count = answer.steps.reduce((sum, { parts }) => sum + parts.length, 0);
    const messages: (string | Buffer)[] = [];
    const isThere = new Promise<boolean>((resolve) => {
      const timer = timers.after(COMPARE_TIMEOUT, () => resolve(false));
      const done = (): void => {
        timer.cancel();
        resolve(true);
      };
      if (count === 0) done();
      else this.#comparison = { count, messages, done };
    });
    if (asked !== undefined) pass(far, near, asked.data, asked.isBinary);
    const isWhole = await isThere;
    this.#comparison = undefined;
    if (!isWhole)
      return exchange.noteUpstream({
        differences: [
          `the upstream has sent ${messages.length} messages of ${count} within ${COMPARE_TIMEOUT / 1000} s`,
        ],
      });
    if (count === 0) return exchange.noteUpstream({ differences: [] });
    exchange.noteUpstream({ differences: ['the answers were not compared: the mock gives no whole answer'] });
    this.#sent = [];
    this.#whenSent = () => {
      if (this.#sent.length === count)
        exchange.noteUpstream({ differences: differencesOf(this.#sent, messages) });
    };
    return undefined;
  }

  #finishWith(waiting: Promise<void> | undefined): void {
    const { connection } = this.#parts;
    const goOn = (): void => {
      this.#isBusy = false;
      const next = this.#backlog.take();
      if (next === undefined) this.#backlog.release();
      else this.#answer(next);
    };
    if (waiting === undefined) return goOn();
    connection.busy();
    waiting.then(
      connection.isolate(() => {
        goOn();
        connection.idle();
      }),
      connection.isolate((error) => {
        throw error;
      }),
    );
  }

  /** Makes and sends the messages of a step of a mock. */
  #send({ message }: WebsocketExchange, match: WebsocketMatch, { parts }: Step): string | Buffer | undefined {
    let shown: string | Buffer | undefined;
    for (const part of parts) {
      const { frame, body } = makePart(part, match, message, undefined);
      this.#outgoing.send(frame);
      this.#sent.push(body);
      shown ??= body;
    }
    this.#whenSent?.();
    if (this.#whenSent === undefined) this.#sent = [];
    return shown;
  }

  #close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#parts.near.close(code, clipReason(reason));
  }

  /** The upstream has closed, or was lost. */
  #end(code: number, reason: string): void {
    this.#comparison?.done();
    this.#turn?.end({ code, reason });
    if (this.#isClosing) return;
    this.#isClosing = true;
    const { near, connection } = this.#parts;
    const sendable = sendableCode(code);
    if (sendable !== undefined) near.close(sendable, reason);
    else if (code === LOST) connection.reset();
    else near.close();
  }

  /** The client has closed, or was lost. */
  #leave(code: number, reason: string): void {
    const { far, context, kept } = this.#parts;
    this.#isClosing = true;
    this.#comparison?.done();
    this.#outgoing.release();
    this.#turn?.end();
    const sendable = sendableCode(code);
    if (far.readyState !== far.OPEN) far.terminate();
    else if (code === LOST) far.terminate();
    else if (sendable === undefined) far.close();
    else far.close(sendable, reason);
    const message = new WebsocketMessage('CLOSE', kept, reason, code);
    const exchange = context.receive(message);
    informOfEnd(context, exchange, () => {
      if (code === LOST) exchange.abort();
      else exchange.done({ status: code });
    });
  }
}

/** Sends a message on; while much waits for its receiver, nothing more is read of its sender. */
function pass(to: WebSocket, from: WebSocket, data: Buffer, binary: boolean): void {
  if (to.readyState !== to.OPEN) return;
  to.send(data, { binary }, () => {
    if (from.isPaused && to.bufferedAmount <= MAX_WAITING / 2) from.resume();
  });
  if (to.bufferedAmount > MAX_WAITING && from.readyState === from.OPEN) from.pause();
}

function differencesOf(
  mocked: readonly (string | Buffer)[],
  real: readonly (string | Buffer)[],
): readonly string[] {
  const differences = new Differences();
  differences.compare('answer', valueOf(mocked), valueOf(real));
  return differences.found;
}

function valueOf(messages: readonly (string | Buffer)[]): unknown {
  const values = messages.map((message) => {
    const shown = redactMessage(message);
    if (typeof shown !== 'string') return { base64: shown.toString('base64') };
    try {
      return JSON.parse(shown) as unknown;
    } catch {
      return shown;
    }
  });
  return values.length === 1 ? values[0] : values;
}
