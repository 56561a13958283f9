import { messageOf, turns, type OpenStream, type StreamControl } from '@backlot/core/plugin';
import { ChunkSlice, type Connection } from '@backlot/kit';
import type { RawData, WebSocket } from 'ws';
import { makePart, type Step } from './answer.js';
import { Answering } from './answering.js';
import { Batch } from './batch.js';
import { checkAnswer, refusalByContract } from './contract/gate.js';
import { frameText, splitText, type Parts } from './framing.js';
import type { Handshake } from './handshake.js';
import { informOfEnd } from './inform-of-end.js';
import type { CompiledWebsocket } from './matcher.js';
import { WebsocketMessage } from './message.js';
import { framePushed } from './pushed.js';
import type { StreamData } from './schemas.js';
import type { WebsocketContext, WebsocketExchange, WebsocketMatch, WebsocketOutcome } from './shape.js';
import { Backlog, type Waiting } from './wire/backlog.js';
import {
  clipReason,
  codeOfError,
  GOING_AWAY,
  INTERNAL_ERROR,
  INVALID_TEXT,
  NORMAL,
  POLICY_VIOLATION,
} from './wire/close-code.js';
import { textFrame } from './wire/frame.js';
import { Outgoing } from './wire/outgoing.js';

/** The close code of a connection that was lost without one (RFC 6455, section 7.1.5). */
const LOST = 1006;

const FOR_CONNECT = 'what its function gave is for clients that connect: the mock needs respond_on: connect';

/** Whether a function has answered a message with what only a client that connects is given. */
function isForConnect(match: WebsocketMatch): boolean {
  const { feed } = match as { readonly feed?: unknown };
  return feed !== undefined || match.mock.compiled.greeting !== undefined;
}

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
  readonly #answering: Answering;
  #pending: WebsocketExchange | undefined;
  /** The message that is being answered. */
  #current: Waiting | undefined;
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
    const outgoing = new Outgoing(connection, () => this.#goOn());
    this.#outgoing = outgoing;
    this.#answering = new Answering(context, {
      get isChoked() {
        return outgoing.isChoked;
      },
      whenRead: () => outgoing.whenRead(),
      send: (exchange, match, step) => this.#send(exchange, match, step),
      close: (code, reason) => this.#close(code, reason),
    });
    socket.on('message', (data: RawData, isBinary: boolean) => this.#receive(data as Buffer, isBinary));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', (code: number, reason: Buffer) => this.#finish(code, reason));
    if (mockId !== undefined) {
      this.#stream = context.streams.open(mockId, this, greeting?.match);
      handshake.stream = this.#stream.id;
    }
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
    const frame = framePushed(data, this.#handshake.framing);
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
    let greeting: CompiledWebsocket['greeting'];
    try {
      ({ greeting } = match.mock.compiled);
    } catch (thrown) {
      return this.#answering.fail(exchange, match, thrown);
    }
    if (greeting === undefined) return;
    exchange.started({ status: 101 });
    this.#settle(exchange, this.#answering.give(exchange, match, greeting));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#closed !== undefined) return;
    const { framing = '' } = this.#handshake;
    if (framing === '' || isBinary) return this.#enqueue({ data, isBinary });
    let parts: Parts;
    try {
      parts = splitText(framing, data);
    } catch (thrown) {
      return this.#close(POLICY_VIOLATION, messageOf(thrown));
    }
    const { texts, isBatch } = parts;
    const batch = isBatch
      ? new Batch(texts.length, (text) => this.#outgoing.send(textFrame(text)))
      : undefined;
    for (const text of texts) this.#enqueue({ data: text, isBinary, ...(batch && { batch }) });
  }

  #enqueue(message: Waiting): void {
    if (this.#isFree && this.#backlog.isEmpty) this.#answer(message);
    else this.#backlog.add(message);
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

  #answer(message: Waiting): void {
    if (this.#closed !== undefined) return;
    this.#current = message;
    const exchange = this.#open(message);
    const refusal = refusalByContract(this.#context, exchange);
    if (refusal !== undefined) {
      const code = refusal.isUnknown ? POLICY_VIOLATION : INVALID_TEXT;
      exchange.done({ status: code, body: refusal.reason });
      this.#endCurrent();
      return this.#close(code, refusal.reason);
    }
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) {
      this.#settle(
        exchange,
        outcome.then((late) => this.#follow(exchange, late)),
      );
    } else {
      this.#settle(exchange, this.#follow(exchange, outcome));
    }
  }

  #open({ data, isBinary }: Waiting): WebsocketExchange {
    const body = isBinary ? data : data.toString('utf8');
    return this.#context.receive(new WebsocketMessage('MESSAGE', this.#handshake, body));
  }

  /** @returns a promise only when the answer has to wait */
  #follow(exchange: WebsocketExchange, outcome: WebsocketOutcome): Promise<void> | undefined {
    switch (outcome.type) {
      case 'matched': {
        let rule: ReturnType<CompiledWebsocket['ruleFor']>;
        try {
          rule = outcome.mock.compiled.ruleFor(exchange.message);
        } catch (thrown) {
          this.#answering.fail(exchange, outcome, thrown);
          return undefined;
        }
        if (rule !== undefined) return this.#answering.give(exchange, outcome, rule.answer);
        if (isForConnect(outcome)) this.#answering.fail(exchange, outcome, new Error(FOR_CONNECT));
        else exchange.done();
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

  /** After an answer: what follows waits when it is not there yet. */
  #settle(exchange: WebsocketExchange, waiting: Promise<void> | undefined): void {
    if (waiting === undefined) {
      this.#endCurrent();
      if (this.#outgoing.isChoked) this.#backlog.hold();
      return;
    }
    const connection = this.#connection;
    this.#pending = exchange;
    connection.busy();
    waiting.then(
      connection.isolate(() => {
        this.#pending = undefined;
        this.#endCurrent();
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

  /** The message that was being answered has been, as far as it is. */
  #endCurrent(): void {
    this.#current?.batch?.endOne();
    this.#current = undefined;
  }

  /** Makes and sends the messages of a step. */
  #send(exchange: WebsocketExchange, match: WebsocketMatch, { parts }: Step): string | Buffer | undefined {
    const { message } = exchange;
    const { framing = '' } = this.#handshake;
    let shown: string | Buffer | undefined;
    for (const part of parts) {
      const { frame, body } = makePart(part, match, message, this.#current?.data);
      checkAnswer(this.#context, exchange, body);
      const batch = this.#current?.batch;
      // In a list only where the client sent one, or nothing at all.
      const isAlone = framing === 'json-array' && this.#current !== undefined && batch === undefined;
      if (framing === '' || isAlone || typeof body !== 'string') this.#outgoing.send(frame);
      else if (batch === undefined) this.#outgoing.send(textFrame(frameText(framing, body)));
      else batch.add(body);
      shown ??= body;
    }
    return shown;
  }

  #goOn(): void {
    const backlog = this.#backlog;
    while (this.#isFree) {
      const next = backlog.take();
      if (next === undefined) {
        backlog.release();
        return;
      }
      this.#answer(next);
      this.#yieldWhenLong();
    }
  }

  #close(code: number, reason: string): void {
    if (this.#closed !== undefined) return;
    this.#current?.batch?.flush();
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
      const exchange = this.#open(next);
      void exchange.resolve();
      exchange.abort();
    }
    const closed = this.#closed ?? { code, reason: reason.toString('utf8') };
    const message = new WebsocketMessage('CLOSE', this.#handshake, closed.reason, closed.code);
    const exchange = this.#context.receive(message);
    informOfEnd(this.#context, exchange, () => {
      if (closed.code === LOST) exchange.abort();
      else exchange.done({ status: closed.code });
    });
  }
}
