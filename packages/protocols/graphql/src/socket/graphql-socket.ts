import type { IncomingMessage } from 'node:http';
import type { Connection } from '@backlot/kit';
import { CloseCode, type Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { isLargeJson, messageOf, type Log } from '@backlot/core/plugin';
import { isNestedTooDeep } from '../wire/json-depth.js';
import type { OperationRelay } from './operation-relay.js';
import type { SocketOperation } from './socket-operation.js';
import { SocketWriter } from './socket-writer.js';

/** How often a client is asked whether it is still there, in ms. */
const PING_INTERVAL = 30_000;
/** What WebSocket says when the server goes away (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;

/** One WebSocket that speaks graphql-transport-ws: what graphql-ws and ws say to each other about it. */
export class GraphqlSocket {
  readonly connection: Connection;
  readonly writer: SocketWriter;
  /** The request that opened it. */
  readonly request: IncomingMessage;
  /** Asks the upstream, where there is one. */
  relay: OperationRelay | undefined = undefined;
  /** The operations that have not ended. */
  readonly operations = new Set<SocketOperation>();
  readonly #socket: WebSocket;
  readonly #log: Log;
  #isGone = false;
  #hasAnswered = true;

  constructor(socket: WebSocket, request: IncomingMessage, connection: Connection, log: Log) {
    this.#socket = socket;
    this.#log = log;
    this.request = request;
    this.connection = connection;
    this.writer = new SocketWriter(socket, connection);
  }

  /** Whether the client has left. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Lets graphql-ws speak to the client. */
  open(server: Server<GraphqlSocket>): void {
    const socket = this.#socket;
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (text) => this.writer.write(text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) => {
          socket.on('message', (data: Buffer) => this.#receive(data.toString('utf8'), take));
        },
      },
      this,
    );
    // What was wrong is told to the client by ws, with the close code that fits.
    socket.on('error', () => undefined);
    socket.on('pong', () => {
      this.#hasAnswered = true;
    });
    const pinging = this.connection.every(PING_INTERVAL, () => this.#ping());
    socket.once('close', (code, reason) => {
      this.#isGone = true;
      pinging.cancel();
      closed(code, reason.toString('utf8')).catch((thrown: unknown) => this.#crash(thrown));
    });
  }

  /** Ends every open subscription normally. */
  endSubscriptions(): void {
    for (const operation of [...this.operations]) operation.end();
  }

  /** Closes the WebSocket. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Closes the WebSocket because the server stops. */
  goAway(): void {
    this.#socket.close(GOING_AWAY, 'the server stops');
  }

  #receive(text: string, take: (text: string) => Promise<void>): void {
    if (isLargeJson(text) || isNestedTooDeep(text)) {
      this.#socket.close(CloseCode.BadRequest, 'Invalid message received');
      return;
    }
    take(text).catch((thrown: unknown) => {
      // Messages that only a server sends are well formed, and still not to be sent by a client.
      if (messageOf(thrown).startsWith('Unexpected message of type')) {
        this.#socket.close(CloseCode.BadRequest, 'Invalid message received');
      } else this.#crash(thrown);
    });
  }

  #ping(): void {
    if (!this.#hasAnswered) {
      this.#socket.terminate();
      return;
    }
    this.#hasAnswered = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  #crash(thrown: unknown): void {
    this.#log.error('a message over a WebSocket could not be answered', thrown);
    this.#socket.close(CloseCode.InternalServerError, 'Internal server error');
  }
}
