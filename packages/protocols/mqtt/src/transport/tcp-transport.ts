import type { Connection, Timer } from '@backlot/kit';
import type { Transport } from './transport.js';

/** MQTT right on a connection, encrypted or not. */
export class TcpTransport implements Transport {
  readonly remote: string;
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
    this.remote = connection.remote;
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.connection.onData(listener);
  }

  get buffered(): number {
    return this.connection.buffered;
  }

  onDrain(listener: () => void): void {
    this.connection.socket.on('drain', this.isolate(listener));
  }

  yieldWhenLong(): boolean {
    return this.connection.yieldWhenLong();
  }

  onGoOn(listener: () => void): void {
    this.connection.onResume(listener);
  }

  onClose(listener: () => void): void {
    this.connection.onClose(listener);
  }

  push(bytes: Buffer): void {
    this.connection.push(bytes);
  }

  end(): void {
    this.connection.end();
  }

  destroy(): void {
    this.connection.destroy();
  }

  pause(): void {
    this.connection.pause();
  }

  resume(): void {
    this.connection.resume();
  }

  after(milliseconds: number, callback: () => void): Timer {
    return this.connection.after(milliseconds, callback);
  }

  isolate<A extends unknown[]>(callback: (...values: A) => unknown): (...values: A) => void {
    return this.connection.isolate(callback);
  }
}
