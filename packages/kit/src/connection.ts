import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SLICE, STALL, stalls, turns } from '@backlot/core/plugin';
import { formatAddress, plainAddress } from './address.js';
import type { ConnectionOwner, SocketTaker } from './connection-owner.js';
import type { IdleMark } from './idle-watch.js';
import { isolateEmitter } from './isolate-emitter.js';
import { Outbox } from './outbox.js';
import { OwnedTimers } from './owned-timers.js';
import { isPromise, toError } from './thrown.js';
import { timers, type Timer } from './timers.js';
import { resetSocket } from './reset-socket.js';

/** How long a connection that was ended may take to be closed by the other end as well, in ms. */
const LINGER = 2000;
/** What comes so soon, in ms, behind what was handled before comes in the same turn of the event loop. */
const SAME_TURN = 1;

/**
 * One accepted connection. A callback given to it that throws, or that gives a promise which is rejected, ends this
 * connection and nothing else: it is isolated.
 */
export class Connection {
  /** The address and port of the client, as `address:port`; an IPv6 address stands in brackets. */
  readonly remote: string;
  /** The address of the client. */
  readonly remoteAddress: string;

  readonly #owner: ConnectionOwner<Connection>;
  readonly #raw: Socket;
  #socket: Socket;
  readonly #outbox: Outbox;
  readonly #timers = new OwnedTimers((fn) => this.#run(fn));
  #onData: ((chunk: Buffer) => unknown) | undefined;
  #onEnd: (() => unknown) | undefined;
  readonly #onResume: (() => unknown)[] = [];
  readonly #onSecure: (() => unknown)[] = [];
  readonly #onClose: ((error: Error | undefined) => unknown)[] = [];
  #idleMark: IdleMark | undefined;
  #failure: Error | undefined;
  #answering = 0;
  #linger = LINGER;
  #isClosed = false;
  #isEnded = false;
  #endsWhenIdle = false;
  #hasClientEnded = false;
  #isHandedOver = false;
  #isHeld = false;
  #isChoked = false;
  #isUpgrading = false;
  #isYielding = false;
  /** What came when a turn had lasted too long: handled when it is this connection's turn. */
  #late: Buffer | undefined;
  /** When handling this connection's bytes has lasted a slice, by {@link Timers.now}. */
  #sliceEnd = 0;
  /** When something was handled last. */
  #handledAt = 0;

  /** Made by the server; `socket` is the TLS socket where `raw` is encrypted already. */
  constructor(owner: ConnectionOwner<Connection>, raw: Socket, socket: Socket = raw) {
    this.#owner = owner;
    this.#raw = raw;
    this.#socket = socket;
    this.#outbox = new Outbox(socket);
    this.remoteAddress = plainAddress(raw.remoteAddress ?? '');
    this.remote = formatAddress(this.remoteAddress, raw.remotePort ?? 0);
    raw.on('error', this.#noteFailure);
    raw.once('close', () => this.#finish());
    this.#adopt(socket);
  }

  /** The socket: the TLS socket when the connection is encrypted, else the TCP socket. */
  get socket(): Socket {
    return this.#socket;
  }

  /** Whether the connection uses TLS. */
  get encrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  /** The application protocol that was agreed on by ALPN (RFC 7301); `undefined` when there is none. */
  get alpnProtocol(): string | undefined {
    const agreed = this.#socket instanceof TLSSocket ? this.#socket.alpnProtocol : undefined;
    return typeof agreed === 'string' ? agreed : undefined;
  }

  /** How many bytes wait to be sent. */
  get buffered(): number {
    return this.#socket.writableLength;
  }

  /** Whether this side has ended the connection, or it is closed: nothing can be sent any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Whether reading is paused: by {@link pause}, by answers that wait to be sent, by a TLS handshake, or to let other
   * connections in ({@link yieldWhenLong}).
   */
  get isPaused(): boolean {
    return this.#isHeld || this.#isChoked || this.#isUpgrading || this.#isYielding;
  }

  /** Whether the connection is closed on both sides. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts reading, and calls back for each chunk. There is one listener: a second call replaces it. */
  onData(listener: (chunk: Buffer) => unknown): void {
    if (this.#isEnded) return;
    const isFirst = this.#onData === undefined;
    this.#onData = listener;
    if (isFirst) this.#socket.on('data', this.#receive);
  }

  /**
   * Calls back when the client has ended its side: it sends nothing more. Afterwards the connection is ended as soon as
   * the answers being made are written, unless the server has `allowHalfOpen`. There is one listener.
   */
  onEnd(listener: () => unknown): void {
    this.#onEnd = listener;
  }

  /** Calls back each time reading goes on after it was paused: the time to go on with what was received before. */
  onResume(listener: () => unknown): void {
    this.#onResume.push(listener);
  }

  /**
   * Calls back when the handshake of {@link startTls} is done, before anything further is read: the time to drop what
   * was received before it.
   */
  onSecure(listener: () => unknown): void {
    this.#onSecure.push(listener);
  }

  /**
   * Calls back when the connection is closed, with the error that has closed it, if any; at once when it is closed
   * already.
   */
  onClose(listener: (error: Error | undefined) => unknown): void {
    if (this.#isClosed) this.#run(() => listener(this.#failure));
    else this.#onClose.push(listener);
  }

  /**
   * Sends an answer. An answer of any size is taken when the client reads its answers; a write while more than
   * `maxAnswers` bytes wait cuts the connection.
   *
   * @returns `false` when more than `highWater` bytes wait now, for which reading is paused ({@link onResume} calls
   * back when it goes on), or when the connection has ended
   */
  write(data: string | Uint8Array, encoding?: BufferEncoding): boolean {
    const { highWater, maxAnswers } = this.#owner.limits;
    if (!this.#send(data, encoding, maxAnswers)) return false;
    if (!this.#outbox.isAbove(highWater)) return true;
    this.#isChoked = true;
    this.#flow();
    return false;
  }

  /**
   * Sends a message that does not answer a request, such as one to a subscriber. It does not pause reading: when more
   * than `maxBuffered` bytes wait already, the connection is cut. What is pushed within one turn of the event loop
   * leaves together.
   *
   * @returns `false` when nothing was sent
   */
  push(data: string | Uint8Array, encoding?: BufferEncoding): boolean {
    if (this.#isEnded) return false;
    return this.#noteSent(
      this.#outbox.gather(data, encoding, this.#owner.limits.maxBuffered),
      this.#owner.limits.maxBuffered,
    );
  }

  /**
   * Pauses reading until {@link resume}, as while an answer waits for its delay. Calls do not add up: one `resume` ends
   * them all.
   */
  pause(): void {
    this.#isHeld = true;
    this.#flow();
  }

  /** Ends a {@link pause}. Reading goes on unless it is paused for another reason. */
  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#goOn();
  }

  /**
   * Lets other connections in when handling the requests of this connection has taken a slice of time (10 ms), or when
   * all connections together have taken one in this turn of the event loop. Ask after each request of a pipeline.
   * {@link readFrames} does so itself.
   *
   * @param hasMore - whether requests that were received are left; when none is, only this connection's own slice
   * counts
   * @returns whether to stop for now: reading is paused, and {@link onResume} calls back when it is this connection's
   * turn
   */
  yieldWhenLong(hasMore = true): boolean {
    if (this.#isYielding) return true;
    const now = timers.now();
    if (now < this.#sliceEnd && !(hasMore && turns.areOver(now))) return false;
    if (this.#isClosed) return false;
    this.#yield();
    return true;
  }

  #yield(): void {
    this.#isYielding = true;
    // A client that has ended its side still gets the answers to what it has sent.
    this.busy();
    this.#flow();
    turns.wait(this.#yielded);
  }

  /**
   * Sends what waits, then `data`, and ends this side. What the client still sends is read and thrown away, so that it
   * can read the last answer. A client that does not end its side within two seconds after that is cut.
   */
  end(data?: string | Uint8Array): void {
    if (this.#isEnded) return;
    const socket = this.#socket;
    this.#isEnded = true;
    this.#outbox.endTurn();
    if (data === undefined) socket.end();
    else socket.end(data);
    if (!this.#isHandedOver) {
      socket.off('data', this.#receive).on('data', ignoreData);
      socket.resume();
    }
    const lingerOn = (): unknown => this.after(this.#linger, () => this.destroy());
    if (socket.writableFinished) lingerOn();
    else socket.once('finish', lingerOn);
  }

  /** Closes at once; what waits to be sent is lost. @param error - what {@link onClose} is given as the reason */
  destroy(error?: Error): void {
    this.#failure ??= error;
    this.#isEnded = true;
    this.#socket.destroy();
    this.#raw.destroy();
  }

  /** Closes at once with a TCP RST, which the client sees as "connection reset"; what waits to be sent is lost. */
  reset(): void {
    this.#isEnded = true;
    // A TLS socket has no handle of its own that could be reset.
    if (!this.#raw.destroyed) resetSocket(this.#raw);
    this.#socket.destroy();
  }

  /**
   * Wraps a callback, for a timer, a library or an event: when it throws or its promise is rejected, this connection
   * ends and nothing else.
   */
  isolate<A extends unknown[]>(fn: (...args: A) => unknown): (...args: A) => void {
    return (...args) => this.#run(() => fn(...args));
  }

  /**
   * Calls `fn` once after `ms` milliseconds of real time. The call is isolated, and cancelled when the connection
   * closes.
   */
  after(ms: number, fn: () => unknown): Timer {
    return this.#timers.after(ms, fn);
  }

  /** Calls `fn` every `ms` milliseconds of real time. The calls are isolated, and end when the connection closes. */
  every(ms: number, fn: () => unknown): Timer {
    return this.#timers.every(ms, fn);
  }

  /**
   * Sets the idle limit, in place of an earlier one.
   *
   * @param ms - milliseconds of real time without a byte in either direction and without an answer being made
   * ({@link busy}); 0 is no limit
   * @param onIdle - called once when they have passed; by default the connection is closed
   */
  setIdleTimeout(ms: number, onIdle: () => unknown = () => this.destroy()): void {
    this.#idleMark?.cancel();
    this.#idleMark = undefined;
    if (ms <= 0 || this.#isClosed) return;
    const raw = this.#raw;
    this.#idleMark = this.#owner.idle.watch({
      timeout: ms,
      onIdle: () => this.#run(onIdle),
      activity: () => (this.#answering > 0 ? Number.NaN : raw.bytesRead + raw.bytesWritten),
    });
  }

  /**
   * Says that an answer is being made. A stop of the server waits for it, within its grace; the connection stays open
   * for it when the client has ended its side; and the idle limit does not count. Each call needs one {@link idle}.
   */
  busy(): void {
    this.#answering += 1;
  }

  /**
   * Says that an answer that {@link busy} announced was written or given up. Ends the connection when it was to end
   * after that.
   */
  idle(): void {
    this.#answering = Math.max(this.#answering - 1, 0);
    if (this.#answering === 0 && this.#endsWhenIdle) this.end();
    else this.#endWhenDone();
  }

  /**
   * Ends the connection now, or as soon as the answers being made are written.
   *
   * @param linger - milliseconds in which the client may end its side before it is cut; default 2000
   */
  endWhenIdle(linger = LINGER): void {
    this.#linger = linger;
    this.#endsWhenIdle = true;
    if (this.#isEnded) this.after(linger, () => this.destroy());
    else if (this.#answering === 0) this.end();
  }

  /**
   * Upgrades the connection to TLS, as STARTTLS does: write the answer that allows it, call this, and begin the
   * protocol anew when it resolves. Drop what was received before it and not used, as {@link readFrames} does: an
   * attacker on the network may have put it there.
   *
   * @throws Error when the server has no TLS, TLS is in use already, or the handshake fails (the connection is gone
   * then)
   */
  async startTls(): Promise<void> {
    const raw = this.#raw;
    const { tls } = this.#owner;
    if (tls === undefined) throw new Error('the server was made without tls; startTls needs a certificate');
    if (this.encrypted) throw new Error('the connection is encrypted already');
    raw.off('data', this.#receive).off('end', this.#receiveEnd).off('drain', this.#drained);
    raw.pause();
    this.#isUpgrading = true;
    try {
      await this.#outbox.flush();
      const secured = await tls.secure(raw);
      this.#socket = secured;
      this.#outbox.retarget(secured);
      this.#isChoked = false;
      this.#isUpgrading = false;
      this.#adopt(secured);
      for (const listener of this.#onSecure) this.#run(listener);
      if (this.#onData !== undefined) secured.on('data', this.#receive);
      this.#flow();
    } catch (error) {
      this.destroy(toError(error));
      throw error;
    }
  }

  /**
   * Hands the socket to a library, which reads and writes from now on. The connection still counts, is closed by a
   * stop, and is ended, alone, by what the library's listeners on the socket throw.
   *
   * @param library - gets the socket as its own server would (`server.emit('connection', socket)`), or a function that
   * takes it
   * @param options - `halfOpen: true` for a library that goes on answering after the client has ended its side, as
   * node:http does
   */
  handOver(library: SocketTaker | ((socket: Socket) => unknown), options: { halfOpen?: boolean } = {}): void {
    const socket = this.#socket;
    this.#isHandedOver = true;
    socket.off('data', this.#receive).off('drain', this.#drained);
    socket.allowHalfOpen = options.halfOpen === true;
    isolateEmitter(socket, this.#fail, (began) => this.#endTurn(began));
    this.#run(() => (typeof library === 'function' ? library(socket) : library.emit('connection', socket)));
  }

  #adopt(socket: Socket): void {
    if (socket !== this.#raw) socket.on('error', this.#noteFailure);
    socket.on('end', this.#receiveEnd);
    socket.on('drain', this.#drained);
    this.#owner.adopted(socket, this);
  }

  readonly #receive = (chunk: Buffer): void => {
    const listener = this.#onData;
    if (listener === undefined) return;
    const began = timers.now();
    if (this.#late !== undefined) this.#late = Buffer.concat([this.#late, chunk]);
    else if (!this.#isYielding && turns.isLate(began)) {
      this.#late = chunk;
      this.#yield();
    } else this.#handle(listener, chunk, began);
  };

  #handle(listener: (chunk: Buffer) => unknown, chunk: Buffer, began: number): void {
    this.#outbox.beginTurn();
    this.#beginSlice(began, false);
    try {
      const result = listener(chunk);
      if (isPromise(result)) result.then(undefined, this.#fail);
    } catch (error) {
      this.#fail(error);
    }
    this.#outbox.endTurn();
    this.#handledAt = timers.now();
    this.#endTurn(began, this.#handledAt);
  }

  /** Up to 32 chunks are received in one turn, and much may be sent, and drained, in one: all that shares a slice. */
  #beginSlice(now: number, isNewTurn: boolean): void {
    if (isNewTurn) this.#sliceEnd = turns.sliceEnd();
    else if (now - this.#handledAt > SAME_TURN) this.#sliceEnd = now + SLICE;
  }

  #send(data: string | Uint8Array, encoding: BufferEncoding | undefined, limit: number): boolean {
    if (this.#isEnded) return false;
    return this.#noteSent(this.#outbox.send(data, encoding, limit), limit);
  }

  #noteSent(sent: ReturnType<Outbox['send']>, limit: number): boolean {
    if (sent === 'sent') return true;
    if (sent === 'overfull') {
      this.destroy(new Error(`client ${this.remote} has left more than ${limit} bytes unread`));
    }
    return false;
  }

  #flow(): void {
    if (this.#onData === undefined || this.#isHandedOver || this.#isEnded) return;
    if (this.isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  readonly #drained = (): void => {
    if (!this.#isChoked) return;
    this.#isChoked = false;
    this.#goOn();
  };

  readonly #yielded = (): void => {
    this.#isYielding = false;
    if (this.#isClosed) return;
    const late = this.#late;
    if (late !== undefined && !this.#isEnded && this.#onData !== undefined) {
      this.#late = undefined;
      this.#handle(this.#onData, late, timers.now());
    }
    this.#goOn(true);
    this.idle();
  };

  #goOn(isNewTurn = false): void {
    if (this.isPaused) return;
    const begins = this.#outbox.beginTurn();
    const began = timers.now();
    if (begins) this.#beginSlice(began, isNewTurn);
    for (const listener of this.#onResume) this.#run(listener);
    if (begins) {
      this.#outbox.endTurn();
      this.#handledAt = timers.now();
      this.#endTurn(began, this.#handledAt);
    }
    this.#flow();
    this.#endWhenDone();
  }

  /** Ends what the client has ended, once nothing is made or waits to be sent: more answers follow what is drained. */
  #endWhenDone(): void {
    if (this.#hasClientEnded && this.#answering === 0 && !this.#isChoked) this.endWhenIdle();
  }

  /** Reports that handling what this one sent has held the event loop for too long. */
  #endTurn(began: number, ended = timers.now()): void {
    if (ended - began <= STALL) return;
    stalls.ended(began, { remote: this.remote, port: this.#owner.place?.port ?? 0 });
  }

  readonly #receiveEnd = (): void => {
    if (this.#isHandedOver || this.#isEnded) return;
    if (this.#onEnd !== undefined) this.#run(this.#onEnd);
    if (this.#owner.allowHalfOpen) return;
    this.#hasClientEnded = true;
    // Thousands may leave in one turn of the event loop, and each end is a call of the system.
    if (turns.isLate()) turns.wait(() => this.#endWhenDone());
    else this.#endWhenDone();
  };

  readonly #noteFailure = (error: Error): void => {
    this.#failure ??= error;
  };

  readonly #fail = (error: unknown): void => {
    if (!this.#isClosed) this.destroy(toError(error));
    this.#owner.failed(error, this);
  };

  #run(fn: () => unknown): void {
    try {
      const result = fn();
      if (isPromise(result)) result.then(undefined, this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  }

  #finish(): void {
    this.#isClosed = true;
    this.#isEnded = true;
    this.#socket.destroy();
    this.#timers.end();
    this.#idleMark?.cancel();
    for (const listener of this.#onClose) this.#run(() => listener(this.#failure));
    this.#owner.closed(this);
  }
}

function ignoreData(): void {
  // What a client sends after the end is read only so that it can be thrown away.
}
