import { nextTurn, Slice, turns, type OpenStream, type StreamControl } from '@backlot/core/plugin';
import { ChunkSlice, type Connection } from '@backlot/kit';
import type { RawData, WebSocket } from 'ws';
import { makePart, type Answer, type Step } from './answer.js';
import type { Handshake } from './handshake.js';
import type { CompiledWebsocket } from './matcher.js';
import { WebsocketMessage } from './message.js';
import { framePushed } from './pushed.js';
import type { StreamData } from './schemas.js';
import type { WebsocketContext, WebsocketExchange, WebsocketMatch, WebsocketOutcome } from './shape.js';
import { Backlog } from './wire/backlog.js';
import { ShownMessages } from './shown-messages.js';
import { clipReason, codeOfError, GOING_AWAY, INTERNAL_ERROR, NORMAL } from './wire/close-code.js';
import { Outgoing } from './wire/outgoing.js';

/** The close code of a connection that was lost without one (RFC 6455, section 7.1.5). */
const LOST = 1006;

/**
 * Messages of one chunk that are answered together, so that a client that closes right behind a few of them gets its answers
 * first.
 */
const TOGETHER = 100;
/** A client that leaves more pushed bytes than this unread is cut. */
const MAX_UNREAD = 1024 * 1024;

/** What becomes of a connection as soon as it is made. */
export interface Opening {
  /** The mock that has let the client in; absent when none will serve it. */
  readonly mockId?: string;
  /** The mock that greets, and the exchange in which it does. */
  readonly greeting?: { readonly exchange: WebsocketExchange; readonly match: WebsocketMatch };
  /** It is closed with this at once. */
  readonly close?: { readonly code: number; readonly reason: string };
}

/**
 * One connection. Its messages are answered one after the other: while an answer waits for its delay, or for a client
 * that does not read, what follows waits too, and no more is read once too much does.
 */
export class WebsocketConnection implements StreamControl<StreamData> {
  readonly #socket: WebSocket;
  readonly #handshake: Handshake;
  readonly #connection: Connection;
  readonly #context: WebsocketContext;
  readonly #outgoing: Outgoing;
  readonly #backlog: Backlog;
  readonly #slice: ChunkSlice;
  readonly #stream: OpenStream | undefined;
  #pending: WebsocketExchange | undefined;
  #isStopping = false;
  #isYielding = false;
  /** The code and reason that this side has closed with. */
  #closed: { readonly code: number; readonly reason: string } | undefined;

  constructor(
    socket: WebSocket,
    handshake: Handshake,
    connection: Connection,
    context: WebsocketContext,
    { mockId, greeting, close }: Opening,
  ) {
    this.#socket = socket;
    this.#handshake = handshake;
    this.#connection = connection;
    this.#context = context;
    this.#backlog = new Backlog(socket);
    this.#slice = new ChunkSlice(connection.socket, TOGETHER);
    this.#outgoing = new Outgoing(connection, () => this.#goOn());
    socket.on('message', (data: RawData, isBinary: boolean) => this.#receive(data as Buffer, isBinary));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', (code: number, reason: Buffer) => this.#finish(code, reason));
    if (mockId !== undefined) this.#stream = context.streams.open(mockId, this);
    if (close !== undefined) this.#close(close.code, close.reason);
    if (greeting !== undefined) this.#greet(greeting.exchange, greeting.match);
  }

  /** Closes with 1001 (going away), as soon as no answer is being made. */
  stop(): void {
    if (this.#pending === undefined) this.#close(GOING_AWAY, '');
    else this.#isStopping = true;
  }

  /** Closes with 1001 now: an answer that waits is given up. */
  stopNow(): void {
    if (this.#pending === undefined) return;
    this.#close(GOING_AWAY, '');
    this.#giveUp();
  }

  push(data: StreamData): void {
    const frame = framePushed(data);
    if (this.#closed !== undefined) return;
    if (this.#outgoing.waiting > MAX_UNREAD) this.#connection.destroy();
    else this.#outgoing.send(frame);
  }

  close(error: string | undefined): void {
    if (error === undefined) this.#close(NORMAL, '');
    else this.#close(INTERNAL_ERROR, error);
    this.#giveUp();
  }

  /** The answer that is being made is made no further. */
  #giveUp(): void {
    if (this.#pending?.ended === false) this.#pending.abort();
    this.#outgoing.release();
  }

  #greet(exchange: WebsocketExchange, match: WebsocketMatch): void {
    const { greeting } = match.mock.compiled;
    if (greeting === undefined) return;
    exchange.started({ status: 101 });
    this.#settle(exchange, this.#give(exchange, match, greeting, undefined));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#closed !== undefined) return;
    if (this.#isFree && this.#backlog.isEmpty) this.#answer(data, isBinary);
    else this.#backlog.add(data, isBinary);
    this.#yieldWhenLong();
  }

  /** Whether nothing holds up the next message. */
  get #isFree(): boolean {
    return this.#pending === undefined && !this.#outgoing.isChoked && !this.#isYielding;
  }

  /** Lets other connections in when the messages of one chunk have taken long. */
  #yieldWhenLong(): void {
    if (this.#isYielding || !this.#slice.isOver) return;
    this.#isYielding = true;
    this.#backlog.hold();
    turns.wait(
      this.#connection.isolate(() => {
        this.#isYielding = false;
        this.#slice.restart();
        this.#goOn();
      }),
    );
  }

  #answer(data: Buffer, isBinary: boolean): void {
    const exchange = this.#open(data, isBinary);
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) {
      this.#settle(
        exchange,
        outcome.then((late) => this.#follow(exchange, late, data)),
      );
    } else {
      this.#settle(exchange, this.#follow(exchange, outcome, data));
    }
  }

  #open(data: Buffer, isBinary: boolean): WebsocketExchange {
    const body = isBinary ? data : data.toString('utf8');
    return this.#context.receive(new WebsocketMessage('MESSAGE', this.#handshake, body));
  }

  /** @returns a promise only when the answer has to wait */
  #follow(exchange: WebsocketExchange, outcome: WebsocketOutcome, data: Buffer): Promise<void> | undefined {
    switch (outcome.type) {
      case 'matched': {
        let rule: ReturnType<CompiledWebsocket['ruleFor']>;
        try {
          rule = outcome.mock.compiled.ruleFor(exchange.message);
        } catch (thrown) {
          this.#failToAnswer(outcome, thrown);
          exchange.done({ status: INTERNAL_ERROR });
          return undefined;
        }
        if (rule !== undefined) return this.#give(exchange, outcome, rule.answer, data);
        exchange.done();
        return undefined;
      }
      case 'fault': {
        const { close_code: code = INTERNAL_ERROR, message: reason = '' } = outcome.fault;
        exchange.done({ status: code });
        this.#close(code, reason);
        return undefined;
      }
      case 'aborted':
        return undefined;
      default:
        exchange.message.isUnmatched = true;
        exchange.done();
        return undefined;
    }
  }

  #give(
    exchange: WebsocketExchange,
    match: WebsocketMatch,
    answer: Answer,
    data: Buffer | undefined,
  ): Promise<void> | undefined {
    const [only, further] = answer.steps;
    if (further === undefined && only?.delay === 0) {
      this.#finishAnswer(exchange, match, answer, () => this.#send(exchange, match, only, data));
      if (this.#outgoing.isChoked) this.#backlog.hold();
      return undefined;
    }
    return this.#play(exchange, match, answer, data);
  }

  /** Sends what has to wait: for its delay, or for what stands before it. */
  async #play(
    exchange: WebsocketExchange,
    match: WebsocketMatch,
    answer: Answer,
    data: Buffer | undefined,
  ): Promise<void> {
    const { steps } = answer;
    const slice = new Slice();
    const shown = new ShownMessages();
    for (const [index, step] of steps.entries()) {
      const delay = match.delayOf(step.delay);
      if (delay > 0) await exchange.wait(delay);
      if (this.#outgoing.isChoked && !exchange.ended) await this.#outgoing.whenRead();
      if (slice.isOver) {
        await nextTurn();
        slice.restart();
      }
      if (exchange.ended) return;
      const isLast = index === steps.length - 1;
      const send = (): string | Buffer | undefined => shown.add(this.#send(exchange, match, step, data));
      if (isLast) this.#finishAnswer(exchange, match, answer, send);
      else if (!this.#attempt(exchange, match, send)) return;
      else exchange.started({});
    }
  }

  /** Makes and sends messages; one that cannot be made closes the connection. */
  #attempt(exchange: WebsocketExchange, match: WebsocketMatch, send: () => unknown): boolean {
    try {
      send();
      return true;
    } catch (thrown) {
      this.#failToAnswer(match, thrown);
      exchange.done({ status: INTERNAL_ERROR });
      return false;
    }
  }

  /** @returns what the journal shows */
  #send(
    exchange: WebsocketExchange,
    match: WebsocketMatch,
    { parts }: Step,
    data: Buffer | undefined,
  ): string | Buffer | undefined {
    let body: string | Buffer | undefined;
    for (const part of parts) {
      const made = makePart(part, match, exchange.message, data);
      this.#outgoing.send(made.frame);
      body ??= made.body;
    }
    return body;
  }

  /** Sends the last messages of an answer, and closes the connection when the answer says so. */
  #finishAnswer(
    exchange: WebsocketExchange,
    match: WebsocketMatch,
    answer: Answer,
    send: () => string | Buffer | undefined,
  ): void {
    this.#attempt(exchange, match, () => {
      const body = send();
      const shown = body === undefined ? {} : { body };
      if (answer.close === undefined) return exchange.done(shown);
      const { code, reason } = answer.close;
      this.#close(code, reason === undefined ? '' : match.render(reason));
      exchange.done({ status: code, ...shown });
    });
  }

  #failToAnswer(match: WebsocketMatch, thrown: unknown): void {
    this.#context.log.error(`an answer of mock "${match.mock.id}" could not be made`, thrown);
    this.#close(INTERNAL_ERROR, '');
  }

  /** After an answer: what follows waits when it is not there yet. */
  #settle(exchange: WebsocketExchange, waiting: Promise<void> | undefined): void {
    if (waiting === undefined) return;
    const connection = this.#connection;
    this.#pending = exchange;
    connection.busy();
    waiting.then(
      connection.isolate(() => {
        this.#pending = undefined;
        // The messages behind it first: idle() ends a connection that is to stop.
        this.#goOn();
        if (this.#isStopping) this.stop();
        connection.idle();
      }),
      connection.isolate((error) => {
        throw error;
      }),
    );
  }

  #goOn(): void {
    const backlog = this.#backlog;
    while (this.#isFree) {
      const next = backlog.take();
      if (next === undefined) {
        backlog.release();
        return;
      }
      if (this.#closed === undefined) this.#answer(next.data, next.isBinary);
      this.#yieldWhenLong();
    }
  }

  #close(code: number, reason: string): void {
    if (this.#closed !== undefined) return;
    const clipped = clipReason(reason);
    this.#closed = { code, reason: clipped };
    this.#backlog.clear();
    // The client's half of the closing handshake is to be read.
    this.#backlog.release();
    this.#socket.close(code, clipped);
  }

  #fail(error: Error): void {
    const code = codeOfError(error);
    if (code === undefined) return;
    this.#closed ??= { code, reason: '' };
    this.#context.log.warn(`${this.#handshake.remote}: ${error.message}`);
  }

  #finish(code: number, reason: Buffer): void {
    this.#stream?.closed();
    this.#giveUp();
    // They had arrived: they count, though nobody is left to answer.
    for (let next = this.#backlog.take(); next !== undefined; next = this.#backlog.take()) {
      const exchange = this.#open(next.data, next.isBinary);
      void exchange.resolve();
      exchange.abort();
    }
    const closed = this.#closed ?? { code, reason: reason.toString('utf8') };
    const message = new WebsocketMessage('CLOSE', this.#handshake, closed.reason);
    const exchange = this.#context.receive(message);
    if (closed.code === LOST) exchange.abort();
    else exchange.done({ status: closed.code });
  }
}
