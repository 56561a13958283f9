import type { Socket } from 'node:net';
import { Lane } from './lane.js';
import type { LaneRules } from './lane-rules.js';

type Done = (error?: Error | null) => void;

/** What of a socket implements its streams: node documents these for those who make streams. */
interface Streams {
  push(chunk: Buffer | null): boolean;
  _read(size: number): void;
  _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void;
  _writev?(chunks: readonly { chunk: Buffer | string; encoding: BufferEncoding }[], done: Done): void;
  _final(done: Done): void;
  _destroy(error: Error | null, done: Done): void;
  /** Whether it is being closed with a RST. */
  readonly resetAndClosing?: boolean;
}

/**
 * A socket whose bytes go through two lanes. The methods by which node fills and empties its streams are replaced on this
 * one object, so that a library that was handed the socket before is reached too. What it reads and writes past them, by
 * its handle, is not.
 */
export class HookedSocket {
  readonly #socket: Socket;
  readonly #own: Streams;
  readonly #up: Lane;
  readonly #down: Lane;
  /** Called when the reader wants more. */
  #wanted: (() => void) | undefined;
  /** Ends the side of the server. */
  #ended: (() => void) | undefined;
  /** Closes the socket, which waits for what is held. */
  #destroy: (() => void) | undefined;
  #hasClientEnded = false;

  /** @param close - closes the connection when a limit is reached */
  constructor(socket: Socket, close: () => void) {
    this.#socket = socket;
    const own = socket as unknown as Streams;
    this.#own = {
      push: own.push.bind(socket),
      _read: own._read.bind(socket),
      _write: own._write.bind(socket),
      _final: own._final.bind(socket),
      _destroy: own._destroy.bind(socket),
      ...(own._writev && { _writev: own._writev.bind(socket) }),
    };
    this.#up = new Lane({
      take: (bytes, taken) => this.#receive(bytes, taken),
      end: () => this.#receiveEnd(),
      close,
    });
    this.#down = new Lane({
      take: (bytes, taken) => {
        let isTaken = false;
        this.#own._write(bytes, 'buffer' as BufferEncoding, (error) => {
          isTaken = true;
          if (error) this.#fail(error);
          else taken();
        });
        // Closed already, and its client does not read: nobody waits for it.
        if (!isTaken) this.#destroy?.();
      },
      end: () => this.#ended?.(),
      close,
    });
    this.#hook();
    this.reclaim();
  }

  /** What is done in each direction from now on. */
  follow(up: LaneRules, down: LaneRules): void {
    this.#up.follow(up);
    this.#down.follow(down);
  }

  /** Forgets what is held. */
  stop(): void {
    this.#up.stop();
    this.#down.stop();
  }

  /** Makes node:http read by events again, which it stops to do when it is handed a socket. */
  reclaim(): void {
    const socket = this.#socket;
    // With a listener there already, one more does not begin to read.
    if (socket.listenerCount('data') === 0) return;
    socket.on('data', ignore);
    socket.off('data', ignore);
  }

  #hook(): void {
    const own = this.#own;
    const up = this.#up;
    const down = this.#down;
    const send = (bytes: () => Buffer, past: () => void, done: Done): void => {
      if (down.isOpen) return past();
      down.feed(bytes());
      down.whenRoom(done);
    };
    const hooks: Streams = {
      push: (chunk) => {
        if (chunk === null) this.#hasClientEnded = true;
        if (up.isOpen) return own.push(chunk);
        if (chunk === null) up.finish();
        else up.feed(chunk);
        return !up.isFull;
      },
      _read: (size) => {
        this.#goOn();
        if (up.isFull) up.whenRoom(() => this.#readOn());
        else own._read(size);
      },
      // What was written may be changed once it counts as sent, which is before it leaves.
      _write: (chunk, encoding, done) =>
        send(
          () => bytesOf(chunk, encoding),
          () => own._write(chunk, encoding, done),
          done,
        ),
      _final: (done) => {
        if (down.isOpen) return own._final(done);
        this.#ended = () => own._final(done);
        down.finish();
      },
      _destroy: (error, done) => {
        up.stop();
        const { resetAndClosing: isReset } = this.#socket as unknown as Streams;
        const destroy = (): void => {
          this.#destroy = undefined;
          down.stop();
          own._destroy(error, done);
        };
        // What was sent before the connection was closed still arrives, as it would have without delay.
        if (error || isReset === true || down.isIdle || down.isTaking) destroy();
        else {
          this.#destroy = destroy;
          down.whenEmpty(destroy);
        }
      },
    };
    if (own._writev !== undefined) {
      hooks._writev = (chunks, done) =>
        send(
          () => Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))),
          () => own._writev?.(chunks, done),
          done,
        );
    }
    Object.assign(this.#socket, hooks);
  }

  #fail(error: Error): void {
    if (this.#destroy !== undefined) this.#destroy();
    else this.#socket.destroy(error);
  }

  #receive(bytes: Buffer, taken: () => void): void {
    if (this.#socket.destroyed) return;
    if (this.#own.push(bytes)) taken();
    else this.#wanted = taken;
    // Reading was stopped while too much was held.
    if (!this.#up.isFull) this.#readOn();
  }

  #receiveEnd(): void {
    if (this.#socket.destroyed) return;
    this.#own.push(null);
    this.#socket.read(0);
  }

  #goOn(): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.();
  }

  #readOn(): void {
    // Without a handle it would wait for one for ever.
    if (!this.#socket.destroyed && !this.#hasClientEnded) this.#own._read(0);
  }
}

function bytesOf(chunk: Buffer | string, encoding: BufferEncoding): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk);
}

function ignore(): void {
  // It is there for a moment only.
}
