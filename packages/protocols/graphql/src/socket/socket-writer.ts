import type { Connection, Timer } from '@backlot/kit';
import { WebSocket } from 'ws';
import type { ResultWriter } from '../wire/result-channel.js';

/** A reader for whom more than this waits is sent nothing more until it has read. */
const MAX_WAITING = 1024 * 1024;
/** How long a reader may leave so much unread before it is cut, in ms. */
const MAX_STALL = 5000;

/** Writes to one WebSocket within limits: nobody waits for a reader that does not read. */
export class SocketWriter implements ResultWriter {
  readonly #socket: WebSocket;
  readonly #connection: Connection;
  readonly #waiting = new Set<() => void>();
  #stall: Timer | undefined;

  constructor(socket: WebSocket, connection: Connection) {
    this.#socket = socket;
    this.#connection = connection;
    connection.socket.on('drain', () => this.#drained());
  }

  /** Whether so much waits that nothing should be added; {@link whenDrained} tells when that is over. */
  get isChoked(): boolean {
    return this.#stall !== undefined;
  }

  /** Sends a message. While much waits to be read, the client is not read from either. */
  write(text: string): void {
    const socket = this.#socket;
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(text);
    if (this.isChoked || socket.bufferedAmount <= MAX_WAITING) return;
    socket.pause();
    this.#stall = this.#connection.after(MAX_STALL, () => this.#cut());
  }

  /** Sends a message that nobody asked for just now: a reader for whom much waits is cut. */
  push(text: string): void {
    if (this.#socket.bufferedAmount > MAX_WAITING) this.#cut();
    else this.write(text);
  }

  /** Calls back once when what waits has been sent. */
  whenDrained(callback: () => void): void {
    this.#waiting.add(callback);
  }

  /** Takes a callback of {@link whenDrained} back. */
  forget(callback: () => void): void {
    this.#waiting.delete(callback);
  }

  #drained(): void {
    if (this.#stall === undefined) return;
    this.#stall.cancel();
    this.#stall = undefined;
    this.#socket.resume();
    for (const callback of [...this.#waiting]) {
      // One of them may have filled the buffer again.
      if (this.isChoked) return;
      this.#waiting.delete(callback);
      callback();
    }
  }

  #cut(): void {
    this.#socket.terminate();
  }
}
