import { wire, type Connection, type Timer } from '@backlot/kit';
import type { Transport } from './transport.js';

/** MQTT right on a connection, encrypted or not. */
export class TcpTransport implements Transport {
  readonly remote: string;
  readonly #connection: Connection;
  #isCorked = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.remote = connection.remote;
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#connection.onData(listener);
  }

  onClose(listener: () => void): void {
    this.#connection.onClose(listener);
  }

  push(bytes: Buffer): void {
    this.#cork();
    this.#connection.push(bytes);
  }

  /** What the broker sends to a client within one turn leaves in one system call. */
  #cork(): void {
    const { socket } = this.#connection;
    if (this.#isCorked || socket.destroyed) return;
    this.#isCorked = true;
    socket.cork();
    wire.afterTurn(() => {
      this.#isCorked = false;
      socket.uncork();
    });
  }

  end(): void {
    this.#connection.end();
  }

  destroy(): void {
    this.#connection.destroy();
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  after(milliseconds: number, callback: () => void): Timer {
    return this.#connection.after(milliseconds, callback);
  }

  isolate<A extends unknown[]>(callback: (...values: A) => unknown): (...values: A) => void {
    return this.#connection.isolate(callback);
  }
}
