import { once } from 'node:events';
import { WebSocket } from 'ws';

const open: RawSocket[] = [];

/** A WebSocket that shows every message as it comes. */
export class RawSocket {
  readonly socket: WebSocket;
  readonly #received: string[] = [];
  readonly #waiting: ((message: string) => void)[] = [];
  /** The code and reason with which it was closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  constructor(url: string, protocols: string | string[] = 'graphql-transport-ws') {
    this.socket = new WebSocket(url, protocols);
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data: Buffer) => {
      const message = data.toString('utf8');
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#received.push(message);
      else waiting(message);
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        for (const waiting of this.#waiting) waiting(`closed ${code}`);
        resolve({ code, reason: reason.toString('utf8') });
      });
    });
    open.push(this);
  }

  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    return this;
  }

  /** Sends values as JSON, and texts as they are. */
  send(...messages: readonly unknown[]): this {
    for (const message of messages)
      this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    return this;
  }

  /** The next message, as text. */
  text(): Promise<string> {
    const message = this.#received.shift();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next message. */
  async next(): Promise<{ readonly type?: string; readonly id?: string; readonly payload?: unknown }> {
    return JSON.parse(await this.text()) as object;
  }

  /** How many messages have come that nobody has taken. */
  get count(): number {
    return this.#received.length;
  }
}

/** Opens a socket that has been acknowledged. */
export async function openSocket(url: string, payload?: object): Promise<RawSocket> {
  const socket = await new RawSocket(url).opened();
  socket.send({ type: 'connection_init', ...(payload === undefined ? {} : { payload }) });
  await socket.next();
  return socket;
}

/** Closes every socket of a test. */
export function closeSockets(): void {
  for (const { socket } of open.splice(0)) socket.terminate();
}
