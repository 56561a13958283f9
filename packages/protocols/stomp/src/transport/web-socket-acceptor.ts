import type { IncomingMessage } from 'node:http';
import { sniff, type Connection } from '@backlot/kit';
import { HttpAcceptor } from '@backlot/kit/http';
import { WebSocketServer } from 'ws';
import { TcpTransport } from './tcp-transport.js';
import type { Transport } from './transport.js';
import { WebSocketTransport } from './web-socket-transport.js';

/** The subprotocols that are agreed on, the preferred one first (STOMP over WebSocket). */
const SUBPROTOCOLS: readonly string[] = ['v12.stomp', 'v11.stomp', 'v10.stomp'];
const HTTP = Buffer.from('GET ');

/** Tells clients that begin with HTTP, for a WebSocket, from those that speak STOMP at once. */
export class WebSocketAcceptor {
  readonly #webSockets: WebSocketServer;
  readonly #acceptor: HttpAcceptor;
  readonly #onTransport: (transport: Transport) => void;

  /**
   * @param maxMessage - most bytes of one WebSocket message
   * @param onTransport - takes a client, whose bytes are still to be read
   */
  constructor(maxMessage: number, onTransport: (transport: Transport) => void) {
    this.#onTransport = onTransport;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: maxMessage,
      handleProtocols: (offered) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
    this.#acceptor = new HttpAcceptor({
      upgrade: { token: 'websocket', take: (...arrived) => this.#upgrade(...arrived) },
    });
  }

  start(): void {
    this.#acceptor.start();
  }

  stop(): void {
    this.#acceptor.stop();
  }

  /** Takes a new connection. */
  take(connection: Connection): void {
    sniff(connection, {
      bytes: HTTP.length,
      choose: (head) => {
        if (!HTTP.subarray(0, head.length).equals(head)) return this.#takePlain;
        return head.length < HTTP.length ? 'more' : this.#takeHttp;
      },
    });
  }

  readonly #takePlain = (connection: Connection): void => {
    this.#onTransport(new TcpTransport(connection));
  };

  readonly #takeHttp = (connection: Connection): void => {
    this.#acceptor.take(connection);
  };

  #upgrade(
    request: IncomingMessage,
    socket: Connection['socket'],
    head: Buffer,
    connection: Connection,
  ): void {
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.#onTransport(new WebSocketTransport(connection, webSocket));
    });
  }
}
