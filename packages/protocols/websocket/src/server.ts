import type { IncomingMessage } from 'node:http';
import type { Service } from '@backlot/core/plugin';
import { createService, timers, type Connection, type Timer } from '@backlot/kit';
import { HttpAcceptor } from '@backlot/kit/http';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { WebsocketConnection, type Opening } from './connection.js';
import { Handshake } from './handshake.js';
import { receiveHandshake } from './reception.js';
import type { WebsocketContext } from './shape.js';
import { keepAlive, type Patience } from './wire/keep-alive.js';

/** The largest message, in bytes; larger ones close the connection with 1009. */
const MAX_MESSAGE = 1024 * 1024;

/** Milliseconds a client gets for its half of the closing handshake. */
const CLOSE_TIMEOUT = 5_000;
/** Milliseconds before the end of the grace in which everybody is told goodbye. */
const FAREWELL = 250;
const PATIENCE: Patience = { idle: 30_000, answer: 15_000 };

/** An upgrade on its way from the request to the conversation. */
interface Arrival {
  readonly connection: Connection;
  readonly handshake: Handshake;
  opening: Opening;
}

/** Takes connections, and talks on those that a mock lets in. */
export function createWebsocketService(context: WebsocketContext): Service {
  const reception = new Reception(context);
  return createService(context, {
    stream: { onConnection: (connection) => reception.take(connection) },
    onStarted: () => reception.start(),
    onStopping: (graceMilliseconds) => reception.sayGoodbye(graceMilliseconds),
    onStopped: () => reception.stop(),
  });
}

/** Does the handshakes, and keeps the conversations that follow. */
class Reception {
  readonly #context: WebsocketContext;
  readonly #acceptor: HttpAcceptor;
  readonly #upgrader: WebSocketServer;
  readonly #arrivals = new WeakMap<IncomingMessage, Arrival>();
  readonly #conversations = new Map<Connection, WebsocketConnection>();
  #isStopping = false;
  #farewell: Timer | undefined;

  constructor(context: WebsocketContext) {
    this.#context = context;
    this.#upgrader = this.#makeUpgrader();
    this.#acceptor = new HttpAcceptor({
      onUpgrade: (request, socket, head, connection) => {
        const { url = '/', rawHeaders } = request;
        const handshake = new Handshake({ target: url, rawHeaders, remote: connection.remote });
        this.#arrivals.set(request, { connection, handshake, opening: {} });
        this.#upgrader.handleUpgrade(request, socket, head, (client) => this.#converse(request, client));
      },
    });
  }

  take(connection: Connection): void {
    this.#acceptor.take(connection);
  }

  start(): void {
    this.#isStopping = false;
    this.#acceptor.start();
  }

  sayGoodbye(graceMilliseconds: number): void {
    this.#isStopping = true;
    for (const conversation of this.#conversations.values()) conversation.stop();
    this.#farewell = timers.after(Math.max(graceMilliseconds - FAREWELL, 0), () => {
      for (const conversation of this.#conversations.values()) conversation.stopNow();
    });
  }

  stop(): void {
    this.#farewell?.cancel();
    this.#acceptor.stop();
  }

  #converse(request: IncomingMessage, client: WebSocket): void {
    const arrival = this.#arrivals.get(request);
    if (arrival === undefined) return;
    const { connection, handshake, opening } = arrival;
    const conversation = new WebsocketConnection(client, handshake, connection, this.#context, opening);
    this.#conversations.set(connection, conversation);
    connection.onClose(() => this.#conversations.delete(connection));
    keepAlive(connection, client, PATIENCE);
    if (this.#isStopping) conversation.stop();
  }

  #makeUpgrader(): WebSocketServer {
    const options: ServerOptions & { readonly closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      maxPayload: MAX_MESSAGE,
      perMessageDeflate: false,
      closeTimeout: CLOSE_TIMEOUT,
      handleProtocols: (_offers, request) => this.#arrivals.get(request)?.handshake.subprotocol || false,
      // Asked once the handshake is known to be valid (RFC 6455, section 4.2.1).
      verifyClient: ({ req: request }: { req: IncomingMessage }, answer: (isAccepted: boolean) => void) => {
        const arrival = this.#arrivals.get(request);
        if (arrival === undefined) return;
        receiveHandshake(this.#context, arrival.connection, arrival.handshake, (opening) => {
          arrival.opening = opening;
          answer(true);
          // A client that has left in the meantime is not greeted any more.
          if (!this.#conversations.has(arrival.connection)) opening.greeting?.exchange.abort();
        });
      },
    };
    return new WebSocketServer(options);
  }
}
