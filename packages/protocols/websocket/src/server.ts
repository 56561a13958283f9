import type { IncomingMessage } from 'node:http';
import { messageOf, type Listening, type Service, type ServiceStatus } from '@backlot/core/plugin';
import {
  admitBy,
  createStreamServer,
  HttpDoor,
  wire,
  type Connection,
  type StreamServer,
} from '@backlot/kit';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { Conversation, type Opening } from './conversation.js';
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
export class WebsocketServer implements Service {
  readonly #context: WebsocketContext;
  readonly #streams: StreamServer;
  readonly #door: HttpDoor;
  readonly #upgrader: WebSocketServer;
  readonly #arrivals = new WeakMap<IncomingMessage, Arrival>();
  readonly #conversations = new Map<Connection, Conversation>();
  readonly #isEncrypted: boolean;
  #isStopping = false;
  #error: string | undefined;

  constructor(context: WebsocketContext) {
    this.#context = context;
    const { host, port, tls } = context.config;
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#upgrader = this.#makeUpgrader();
    this.#door = new HttpDoor({
      onUpgrade: (request, socket, head, connection) => {
        const { url = '/', rawHeaders } = request;
        const handshake = new Handshake({ target: url, rawHeaders, remote: connection.remote });
        this.#arrivals.set(request, { connection, handshake, opening: {} });
        this.#upgrader.handleUpgrade(request, socket, head, (client) => this.#converse(request, client));
      },
    });
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#door.take(connection),
      onError: (error, where) => {
        // What clients do wrong in a handshake is theirs.
        if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  async start(port: number): Promise<Listening> {
    const place = await this.#streams.start(port);
    this.#isStopping = false;
    this.#door.start();
    return place;
  }

  async stop(graceMilliseconds: number): Promise<void> {
    this.#isStopping = true;
    for (const conversation of this.#conversations.values()) conversation.stop();
    const farewell = wire.after(Math.max(graceMilliseconds - FAREWELL, 0), () => {
      for (const conversation of this.#conversations.values()) conversation.stopNow();
    });
    await this.#streams.stop(graceMilliseconds);
    farewell.cancel();
    this.#door.stop();
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #converse(request: IncomingMessage, client: WebSocket): void {
    const arrival = this.#arrivals.get(request);
    if (arrival === undefined) return;
    const { connection, handshake, opening } = arrival;
    const conversation = new Conversation(client, handshake, connection, this.#context, opening);
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
