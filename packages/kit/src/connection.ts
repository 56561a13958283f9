import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { stalls } from '@backlot/core/plugin';
import { formatAddress, plainAddress } from './address.js';
import { ConnectionEnding, LINGER } from './connection-ending.js';
import type { ConnectionOwner, SocketTaker } from './connection-owner.js';
import { ConnectionReading } from './connection-reading.js';
import { ConnectionSending } from './connection-sending.js';
import { openState, type ConnectionState } from './connection-state.js';
import type { IdleMark } from './idle-watch.js';
import { isolateEmitter } from './isolate-emitter.js';
import { OwnedTimers } from './owned-timers.js';
import { runIsolated, toError } from './thrown.js';
import type { Timer } from './timers.js';
import type { TlsAcceptor } from './tls-acceptor.js';
import { Beneath } from './toxics/beneath.js';
import type { StreamToxics } from './toxics/stream-toxics.js';
import { resetSocket } from './reset-socket.js';

/**
 * One accepted connection. A callback given to it that throws, or that gives a promise which is rejected, ends this
 * connection and nothing else: it is isolated.
 */
export class Connection {
  /** The address and port of the client, as `address:port`; an IPv6 address stands in brackets. */
  readonly remote: string;
  /** The address of the client. */
  readonly remoteAddress: string;

  #owner: ConnectionOwner<Connection>;
  readonly #raw: Socket;
  readonly #state: ConnectionState;
  readonly #sending: ConnectionSending;
  readonly #reading: ConnectionReading;
  readonly #ending: ConnectionEnding;
  readonly #fail = (error: unknown): void => {
    if (!this.isClosed) this.destroy(toError(error));
    this.#owner.failed(error, this);
  };
  readonly #run = (fn: () => unknown): void => runIsolated(fn, this.#fail);
  readonly #timers = new OwnedTimers(this.#run);
  #onSecure: (() => unknown)[] = [];
  #onClose: ((error: Error | undefined) => unknown)[] = [];
  #idleMark: IdleMark | undefined;
  #failure: Error | undefined;

  /** Made by the server; `socket` is the TLS socket where `raw` is encrypted already. */
  constructor(owner: ConnectionOwner<Connection>, raw: Socket, socket: Socket = raw) {
    this.#owner = owner;
    this.#raw = raw;
    this.#state = openState(socket);
    this.#sending = new ConnectionSending(this.#state, owner.limits, this);
    this.#reading = new ConnectionReading(this.#state, this, {
      run: this.#run,
      fail: this.#fail,
      endWhenDone: () => this.#ending.endWhenDone(),
      stalled: (began) => stalls.ended(began, { remote: this.remote, port: owner.place?.port ?? 0 }),
    });
    this.#ending = new ConnectionEnding(this.#state, this.#reading, this, owner.allowHalfOpen);
    this.remoteAddress = plainAddress(raw.remoteAddress ?? '');
    this.remote = formatAddress(this.remoteAddress, raw.remotePort ?? 0);
    raw.on('error', this.#noteFailure);
    raw.once('close', () => this.#finish());
    this.#adopt(socket);
  }

  /** The socket: the TLS socket when the connection is encrypted, else the TCP socket. */
  get socket(): Socket {
    return this.#state.socket;
  }

  /** Whether the connection uses TLS. */
  get encrypted(): boolean {
    return this.#state.socket instanceof TLSSocket;
  }

  /** The application protocol that was agreed on by ALPN (RFC 7301); `undefined` when there is none. */
  get alpnProtocol(): string | undefined {
    const agreed = this.#state.socket instanceof TLSSocket ? this.#state.socket.alpnProtocol : undefined;
    return typeof agreed === 'string' ? agreed : undefined;
  }

  /** How many bytes wait to be sent. */
  get buffered(): number {
    return this.#state.outbox.waiting;
  }

  /** Whether this side has ended the connection, or it is closed: nothing can be sent any more. */
  get isEnded(): boolean {
    return this.#state.isEnded;
  }

  /**
   * Whether reading is paused: by {@link pause}, by answers that wait to be sent, by a TLS handshake, or to let other
   * connections in ({@link yieldWhenLong}).
   */
  get isPaused(): boolean {
    return this.#reading.isPaused;
  }

  /** Whether the connection is closed on both sides. */
  get isClosed(): boolean {
    return this.#state.isClosed;
  }

  /** Starts reading, and calls back for each chunk. There is one listener: a second call replaces it. */
  onData(listener: (chunk: Buffer) => unknown): void {
    this.#reading.listen(listener);
  }

  /**
   * Calls back when the client has ended its side: it sends nothing more. Afterwards the connection is ended as soon as
   * the answers being made are written, unless the server has `allowHalfOpen`. There is one listener.
   */
  onEnd(listener: () => unknown): void {
    this.#ending.onEnd(listener);
  }

  /** Calls back each time reading goes on after it was paused: the time to go on with what was received before. */
  onResume(listener: () => unknown): void {
    this.#reading.onResume(listener);
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
    if (this.#state.isClosed) this.#run(() => listener(this.#failure));
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
    if (!this.#sending.write(data, encoding)) return false;
    if (!this.#sending.isFull) return true;
    this.#reading.choke();
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
    return this.#sending.push(data, encoding);
  }

  /**
   * Pauses reading until {@link resume}, as while an answer waits for its delay. Calls do not add up: one `resume` ends
   * them all.
   */
  pause(): void {
    this.#reading.hold();
  }

  /** Ends a {@link pause}. Reading goes on unless it is paused for another reason. */
  resume(): void {
    this.#reading.release();
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
    return this.#reading.yieldWhenLong(hasMore);
  }

  /**
   * Sends what waits, then `data`, and ends this side. What the client still sends is read and thrown away, so that it
   * can read the last answer. A client that does not end its side within two seconds after that is cut.
   */
  end(data?: string | Uint8Array): void {
    this.#ending.end(data);
  }

  /** Closes at once; what the client has not taken yet is lost. @param error - what {@link onClose} is given as the reason */
  destroy(error?: Error): void {
    this.#failure ??= error;
    this.#state.isEnded = true;
    this.#state.outbox.endTurn();
    this.socket.destroy();
    this.#raw.destroy();
  }

  /** Closes at once with a TCP RST, which the client sees as "connection reset"; what it has not taken yet is lost. */
  reset(): void {
    this.#state.isEnded = true;
    this.#state.outbox.endTurn();
    // A TLS socket has no handle of its own that could be reset.
    if (!this.#raw.destroyed) resetSocket(this.#raw);
    this.#state.socket.destroy();
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
    if (ms <= 0 || this.isClosed) return;
    const raw = this.#raw;
    this.#idleMark = this.#owner.idle.watch({
      timeout: ms,
      onIdle: () => this.#run(onIdle),
      activity: () => (this.#ending.isBusy ? Number.NaN : raw.bytesRead + raw.bytesWritten),
    });
  }

  /**
   * Says that an answer is being made. A stop of the server waits for it, within its grace; the connection stays open
   * for it when the client has ended its side; and the idle limit does not count. Each call needs one {@link idle}.
   */
  busy(): void {
    this.#ending.busy();
  }

  /**
   * Says that an answer that {@link busy} announced was written or given up. Ends the connection when it was to end
   * after that.
   */
  idle(): void {
    this.#ending.idle();
  }

  /**
   * Ends the connection now, or as soon as the answers being made are written.
   *
   * @param linger - milliseconds in which the client may end its side before it is cut; default 2000
   */
  endWhenIdle(linger = LINGER): void {
    this.#ending.endWhenIdle(linger);
  }

  /**
   * Upgrades the connection to TLS, as STARTTLS does: write the answer that allows it, call this, and begin the
   * protocol anew when it resolves. Drop what was received before it and not used, as {@link readFrames} does: an
   * attacker on the network may have put it there.
   *
   * @param acceptor - shows a certificate of its own, in place of that of the server. Then the connection may be encrypted
   * already, as that to a proxy is, and is twice
   * @throws Error when the server has no TLS, TLS is in use already, or the handshake fails (the connection is gone
   * then)
   */
  async startTls(acceptor?: TlsAcceptor): Promise<void> {
    const raw = this.#raw;
    const tls = acceptor ?? this.#owner.tls;
    if (tls === undefined) throw new Error('the server was made without tls; startTls needs a certificate');
    if (acceptor === undefined && this.encrypted) throw new Error('the connection is encrypted already');
    const { socket } = this.#state;
    socket.off('end', this.#ending.clientEnded);
    this.#reading.upgrade(socket);
    try {
      await this.#state.outbox.flush();
      const { toxics } = this.#owner;
      const secured = await tls.secure(raw, socket === raw ? toxics?.beneath(raw) : new Beneath(socket));
      this.#state.socket = secured;
      this.#state.outbox.retarget(secured);
      this.#reading.upgraded();
      this.#adopt(secured);
      for (const listener of this.#onSecure) this.#run(listener);
      this.#reading.start(secured);
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
   * node:http does; `byHandle: true` for one that reads and writes the socket by its handle, as node:http2 does: while
   * something is done to the bytes, it is given a stream without a handle
   */
  handOver(
    library: SocketTaker | ((socket: Socket) => unknown),
    options: { halfOpen?: boolean; byHandle?: boolean } = {},
  ): void {
    const state = this.#state;
    const { socket } = state;
    const { toxics } = this.#owner;
    state.isHandedOver = true;
    state.outbox.endTurn();
    this.#reading.leave(socket);
    socket.allowHalfOpen = options.halfOpen === true;
    isolateEmitter(socket, this.#fail, (began) => this.#reading.endTurn(began));
    let given = socket;
    if (options.byHandle === true) {
      if (toxics === undefined) state.isReadByHandle = true;
      else {
        // It has what libraries use of a socket.
        given = toxics.beneath(this.#raw, socket) as unknown as Socket;
        isolateEmitter(given, this.#fail);
      }
    }
    this.#run(() => (typeof library === 'function' ? library(given) : library.emit('connection', given)));
    toxics?.reclaim(this.#raw);
  }

  /**
   * Takes the socket back from a library that has left it, as node:http does with that of a CONNECT.
   *
   * @param unread - what the library has read of the next protocol; it is read again
   */
  takeBack(unread: Buffer): void {
    const state = this.#state;
    state.isHandedOver = false;
    state.isReadByHandle = false;
    state.socket.pause();
    if (unread.length > 0) state.socket.unshift(unread);
    this.#reading.watch(state.socket);
  }

  /** Lets toxics act on a connection that was taken before there were any. @internal */
  adoptInto(toxics: StreamToxics): void {
    const { socket, isReadByHandle } = this.#state;
    if (toxics.adopt(this.#raw, isReadByHandle ? undefined : socket)) return;
    // Its client comes again, to a connection whose bytes can be reached.
    this.#run(() => this.#owner.sayGoodbye(this));
    this.endWhenIdle();
  }

  /**
   * Takes the connection away from whoever serves it, who is told that it is closed. Nothing is read before {@link moveTo}.
   */
  leave(): void {
    const listeners = this.#onClose;
    this.#onClose = [];
    this.#onSecure = [];
    this.#reading.startOver();
    this.#ending.startOver();
    for (const listener of listeners) this.#run(() => listener(undefined));
    this.#timers.cancelAll();
    this.#idleMark?.cancel();
    this.#idleMark = undefined;
  }

  /**
   * Gives a connection that was left to another server of the same kind, as if that had accepted it.
   *
   * @param owner - the server, which takes it
   * @param serve - serves the client from now on
   */
  moveTo(owner: ConnectionOwner<Connection>, serve: () => unknown): void {
    const before = this.#owner;
    if (this.isClosed) return;
    this.#owner = owner;
    before.released(this, this.#raw);
    owner.taken(this, this.#raw);
    this.#run(serve);
    this.#reading.goOn();
  }

  #adopt(socket: Socket): void {
    if (socket !== this.#raw) socket.on('error', this.#noteFailure);
    socket.on('end', this.#ending.clientEnded);
    this.#reading.watch(socket);
    this.#owner.adopted(socket, this);
  }

  readonly #noteFailure = (error: Error): void => {
    this.#failure ??= error;
  };

  #finish(): void {
    this.#state.isClosed = true;
    this.#state.isEnded = true;
    this.#state.socket.destroy();
    this.#timers.end();
    this.#idleMark?.cancel();
    for (const listener of this.#onClose) this.#run(() => listener(this.#failure));
    this.#owner.closed(this);
  }
}
