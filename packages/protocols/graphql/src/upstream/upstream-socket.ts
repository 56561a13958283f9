import { WebSocket } from 'ws';
import { isLargeJson, messageOf } from '@backlot/core/plugin';
import { isNestedTooDeep } from '../wire/json-depth.js';

/** What an operation on a socket of the upstream is told. */
export interface SocketEvents {
  /** A result has come, as JSON. */
  next(result: string): void;
  /** It has ended with these errors, as JSON; a list. */
  error(errors: string): void;
  complete(): void;
  /** The socket is gone. */
  lost(problem: Error): void;
}

/** How a socket to the upstream was closed. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** A message of the protocol graphql-transport-ws. */
interface ServerMessage {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly payload?: unknown;
}

/** The most that waits for the upstream before the client is not read. */
const MAX_WAITING = 1024 * 1024;
const SUBPROTOCOL = 'graphql-transport-ws';

/** How a socket is opened. */
export interface SocketOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly createConnection: (options: unknown, done: (error: Error | null) => void) => undefined;
  /** The payload of `connection_init`. */
  readonly connectionParams: unknown;
  /** The largest message, in bytes. */
  readonly maxPayload: number;
  /** Runs a callback on behalf of the client's connection. */
  readonly isolate: <T extends unknown[]>(callback: (...given: T) => void) => (...given: T) => void;
  /** The upstream has closed it, or it was lost. */
  readonly onEnd: (end: SocketEnd) => void;
}

/** A WebSocket to an upstream that speaks graphql-transport-ws, for the operations of one client. */
export class UpstreamSocket {
  /** Resolves with the payload of `connection_ack`; rejected when there is none. */
  readonly acknowledged: Promise<unknown>;
  readonly #socket: WebSocket;
  readonly #operations = new Map<string, SocketEvents>();
  #problem: Error | undefined;

  constructor({
    url,
    headers,
    createConnection,
    connectionParams,
    maxPayload,
    isolate,
    onEnd,
  }: SocketOptions) {
    const options = { headers, createConnection, maxPayload, followRedirects: false };
    const socket = new WebSocket(url, SUBPROTOCOL, options as unknown as WebSocket.ClientOptions);
    this.#socket = socket;
    this.acknowledged = new Promise((resolve, reject) => {
      socket.on('open', () => this.#send({ type: 'connection_init', payload: connectionParams }));
      socket.on(
        'message',
        isolate((data: Buffer) => this.#take(data.toString('utf8'), resolve)),
      );
      socket.on('error', (error) => {
        this.#problem = error;
        reject(error);
      });
      socket.on(
        'close',
        isolate((code: number, reason: Buffer) => {
          const problem =
            this.#problem ?? new Error(`it has closed the WebSocket with ${code} ${String(reason)}`);
          this.#problem = problem;
          reject(problem);
          const operations = [...this.#operations.values()];
          this.#operations.clear();
          for (const operation of operations) operation.lost(problem);
          onEnd({ code, reason: String(reason) });
        }),
      );
    });
    this.acknowledged.catch(() => undefined);
  }

  /** Whether so much waits to be sent that the client is better not read. */
  get isChoked(): boolean {
    return this.#socket.bufferedAmount > MAX_WAITING;
  }

  /** Asks for an operation. @returns a function that completes it from this side */
  subscribe(id: string, payload: unknown, events: SocketEvents): () => void {
    if (this.#problem !== undefined) {
      events.lost(this.#problem);
      return () => undefined;
    }
    this.#operations.set(id, events);
    this.#send({ id, type: 'subscribe', payload });
    return () => {
      if (this.#operations.delete(id)) this.#send({ id, type: 'complete' });
    };
  }

  /** Reads no more while the client does not take what comes. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes it: the client has left. */
  close(code?: number): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
    else this.#socket.close(code);
  }

  #take(text: string, acknowledge: (payload: unknown) => void): void {
    let message: ServerMessage | null;
    try {
      if (isLargeJson(text) || isNestedTooDeep(text)) throw new Error('it holds too much');
      message = JSON.parse(text) as ServerMessage | null;
    } catch (thrown) {
      this.#problem = new Error(`it has sent what is no message: ${messageOf(thrown)}`);
      this.#socket.close(4400);
      return;
    }
    const { type, id, payload } = message ?? {};
    if (type === 'connection_ack') return acknowledge(payload);
    if (type === 'ping') return this.#send({ type: 'pong', payload });
    const operation = typeof id === 'string' ? this.#operations.get(id) : undefined;
    if (operation === undefined || typeof id !== 'string') return;
    if (type === 'next') return operation.next(JSON.stringify(payload));
    if (type !== 'error' && type !== 'complete') return;
    this.#operations.delete(id);
    if (type === 'error') operation.error(JSON.stringify(payload));
    else operation.complete();
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
