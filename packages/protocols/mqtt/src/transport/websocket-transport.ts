import { turns } from '@backlot/core/plugin';
import { ChunkSlice, type Connection, type Timer } from '@backlot/kit';
import type { RawData, WebSocket } from 'ws';
import { MAX_UNREAD, type Transport } from './transport.js';

/** The close code for data of the wrong kind (RFC 6455, section 7.4.1). */
const UNSUPPORTED_DATA = 1003;
const NORMAL = 1000;
/** How long the other end gets to close as well, in ms. */
const LINGER = 2000;

/** MQTT in the binary messages of a WebSocket, whose borders mean nothing (MQTT 5, section 6). */
export class WebSocketTransport implements Transport {
  readonly remote: string;
  readonly connection: Connection;
  readonly #socket: WebSocket;
  readonly #slice: ChunkSlice;
  #goOn: () => void = () => undefined;
  #isHeld = false;
  #isYielding = false;

  constructor(socket: WebSocket, connection: Connection) {
    this.#socket = socket;
    this.connection = connection;
    this.remote = connection.remote;
    this.#slice = new ChunkSlice(connection.socket);
    // A frame that breaks RFC 6455 has been answered with its close code by then.
    socket.on('error', () => undefined);
  }

  onData(listener: (chunk: Buffer) => void): void {
    const take = this.isolate(listener);
    this.#socket.on('message', (data: RawData, isBinary: boolean) => {
      if (isBinary) take(toBuffer(data));
      else this.#socket.close(UNSUPPORTED_DATA, 'MQTT is binary'); // [MQTT-6.0.0-1]
    });
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  onDrain(listener: () => void): void {
    this.connection.socket.on('drain', this.isolate(listener));
  }

  yieldWhenLong(): boolean {
    if (this.#isYielding) return true;
    if (!this.#slice.isOver) return false;
    this.#isYielding = true;
    this.#flow();
    turns.wait(
      this.isolate(() => {
        this.#isYielding = false;
        this.#slice.restart();
        if (!this.#isHeld) this.#goOn();
        this.#flow();
      }),
    );
    return true;
  }

  onGoOn(listener: () => void): void {
    this.#goOn = listener;
  }

  onClose(listener: () => void): void {
    this.connection.onClose(listener);
  }

  push(bytes: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD) this.destroy();
    else this.#socket.send(bytes);
  }

  end(): void {
    this.#socket.close(NORMAL);
    this.connection.after(LINGER, () => this.destroy());
  }

  destroy(): void {
    this.connection.destroy();
  }

  pause(): void {
    this.#isHeld = true;
    this.#flow();
  }

  resume(): void {
    this.#isHeld = false;
    this.#flow();
  }

  after(milliseconds: number, callback: () => void): Timer {
    return this.connection.after(milliseconds, callback);
  }

  isolate<A extends unknown[]>(callback: (...values: A) => unknown): (...values: A) => void {
    return this.connection.isolate(callback);
  }

  #flow(): void {
    if (this.#isHeld || this.#isYielding) this.#socket.pause();
    else this.#socket.resume();
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
