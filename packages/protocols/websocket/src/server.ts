import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Json, Service } from '@backlot/core/plugin';
import {
  createGuestService,
  createService,
  GuestConnections,
  timers,
  type Connection,
  type Timer,
} from '@backlot/kit';
import {
  endWithHttp,
  Http1Replier,
  HttpAcceptor,
  readBody,
  type EnteringUpgrade,
  type GuestServer,
  type HttpGuest,
} from '@backlot/kit/http';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { WebsocketConnection, type Opening } from './connection.js';
import { HttpSide } from './dialects/http-side.js';
import type { Talking } from './dialects/speech.js';
import { Speeches } from './dialects/speeches.js';
import { Handshake } from './handshake.js';
import { AdmissionProbe } from './message.js';
import { receiveHandshake } from './reception.js';
import type { WebsocketContext } from './shape.js';
import type { Relay } from './upstream/relay.js';
import { keepAlive, type Patience } from './wire/keep-alive.js';

/** The largest message, in bytes; larger ones close the connection with 1009. */
const MAX_MESSAGE = 1024 * 1024;

/** Milliseconds a client gets for its half of the closing handshake. */
const CLOSE_TIMEOUT = 5_000;
/** Milliseconds before the end of the grace at which answers that still wait are given up, and close frames sent. */
const CLOSE_AHEAD = 250;
const PATIENCE: Patience = { idle: 30_000, answer: 15_000 };

/** An upgrade on its way from the request to the connection. */
interface Arrival {
  readonly connection: Connection;
  readonly handshake: Handshake;
  opening: Opening;
}

/**
 * Takes connections, and talks on those that a mock lets in.
 *
 * @param relay - passes connections on to the upstream, where there is one
 */
export function createWebsocketService(context: WebsocketContext, relay?: Relay): Service {
  const reception = new Reception(context, relay);
  if (context.config.share !== undefined) return shareListener(context, reception, relay);
  return createService(context, {
    stream: {
      onConnection: (connection) => reception.take(connection),
      onEntered: (connection, upgrade: EnteringUpgrade) => reception.acceptor.enter(connection, upgrade),
      onGoodbye: (connection) => reception.dismiss(connection),
    },
    ...(relay && { reset: () => relay.reset() }),
    onStarted: () => reception.start(),
    onStopping: (graceMilliseconds) => reception.sendCloseFrames(graceMilliseconds),
    onStopped: () => reception.stop(),
    entrance: reception.acceptor.entrance,
  });
}

/** Takes the upgrades of a listener that another kind has. */
function shareListener(context: WebsocketContext, reception: Reception, relay: Relay | undefined): Service {
  const connections = new GuestConnections(context);
  const guest: HttpGuest = {
    kind: context.kind,
    claimUpgrade: ({ url = '/', rawHeaders }, { remote, encrypted: isSecure }) => {
      const probe = new AdmissionProbe(new Handshake({ target: url, rawHeaders, remote, isSecure }));
      return context.mocks.matches(probe) ? 2 : 1;
    },
    takesRequest: (head) => reception.http.takes(head),
    request: (request) =>
      connections.admit(request.connection, () =>
        reception.http.answer(request.head, request.body, request.connection, request),
      ),
    upgrade: (request, socket, head, connection, server) => {
      connections.admit(connection, () => {
        connections.keep(connection);
        reception.upgrade(request, socket, head, connection, server);
      });
    },
    leadsOn: relay !== undefined,
  };
  const service = createGuestService(connections, {
    guest,
    ...(relay && { reset: () => relay.reset() }),
    onGoodbye: (connection) => reception.dismiss(connection),
    onStopping: (graceMilliseconds) => reception.sendCloseFrames(graceMilliseconds),
    onStopped: () => reception.stop(),
  });
  // Recordings are for connections that come to that listener.
  const { share } = context.config;
  return relay === undefined
    ? service
    : Object.assign(service, { recordedSettings: (): Json => ({ share }) });
}

/** Does the handshakes, and keeps the WebSocket connections that follow. */
class Reception {
  readonly #context: WebsocketContext;
  readonly #relay: Relay | undefined;
  readonly acceptor: HttpAcceptor;
  readonly #upgrader: WebSocketServer;
  readonly #arrivals = new WeakMap<IncomingMessage, Arrival>();
  readonly #established = new Map<Connection, Talking>();
  readonly #speeches: Speeches;
  /** The requests that belong to dialects. */
  readonly http: HttpSide;
  #isStopping = false;
  #closing: Timer | undefined;

  constructor(context: WebsocketContext, relay?: Relay) {
    this.#context = context;
    this.#relay = relay;
    this.#upgrader = this.#makeUpgrader();
    this.#speeches = new Speeches(context);
    this.http = new HttpSide(context, this.#speeches);
    this.acceptor = new HttpAcceptor({
      spaces: context.spaces,
      onRequest: (request, response, connection) => {
        if (this.http.takes(request)) this.#request(request, response, connection);
        else requireUpgrade(connection);
      },
      upgrade: {
        token: 'websocket',
        take: (request, socket, head, connection) => this.upgrade(request, socket, head, connection),
      },
    });
  }

  /** Takes an upgrade. @param server - which it is for, where it has come to a proxy */
  upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    connection: Connection,
    server?: GuestServer,
  ): void {
    const { url = '/', rawHeaders } = request;
    const { remote, encrypted: isSecure } = connection;
    const handshake = new Handshake({ target: url, rawHeaders, remote, isSecure });
    if (this.#relay?.leads(server) === true)
      return this.#relay.take({ request, socket, head, connection, handshake, server }, (relayed) =>
        this.#establish(connection, relayed),
      );
    this.#arrivals.set(request, { connection, handshake, opening: {} });
    this.#upgrader.handleUpgrade(request, socket, head, (client) => this.#open(request, client));
  }

  take(connection: Connection): void {
    this.acceptor.take(connection);
  }

  start(): void {
    this.#isStopping = false;
    this.acceptor.start();
  }

  /** Sends a close frame with the close status 1001 (going away) on one connection. */
  dismiss(connection: Connection): void {
    this.#established.get(connection)?.stop();
  }

  /** Sends a close frame with the close status 1001 on every connection, once it has no answer that waits. */
  sendCloseFrames(graceMilliseconds: number): void {
    this.#isStopping = true;
    for (const client of this.#talking()) client.stop();
    this.#closing = timers.after(Math.max(graceMilliseconds - CLOSE_AHEAD, 0), () => {
      for (const client of this.#talking()) client.stopNow();
    });
  }

  stop(): void {
    this.#closing?.cancel();
    this.acceptor.stop();
  }

  *#talking(): Iterable<Talking> {
    yield* this.#established.values();
    yield* this.#speeches.clients();
  }

  #request(request: IncomingMessage, response: ServerResponse, connection: Connection): void {
    const replier = new Http1Replier(response, connection);
    readBody(
      request,
      MAX_MESSAGE,
      connection.isolate((body) => {
        if (body === undefined) endWithHttp(connection, 413, `a request has ${MAX_MESSAGE} bytes at most`);
        else this.http.answer(request, body, connection, replier);
      }),
    );
  }

  #open(request: IncomingMessage, client: WebSocket): void {
    const arrival = this.#arrivals.get(request);
    if (arrival === undefined) return;
    const { connection, handshake, opening } = arrival;
    const speech = this.#speeches.get(handshake.dialect);
    const talking =
      speech === undefined
        ? new WebsocketConnection(client, handshake, connection, this.#context, opening)
        : speech.open(handshake, client, connection);
    keepAlive(connection, client, PATIENCE);
    if (talking !== undefined) this.#establish(connection, talking);
  }

  #establish(connection: Connection, talking: Talking): void {
    this.#established.set(connection, talking);
    connection.onClose(() => this.#established.delete(connection));
    if (this.#isStopping) talking.stop();
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
        receiveHandshake(this.#context, this.#speeches, arrival.connection, arrival.handshake, (opening) => {
          arrival.opening = opening;
          answer(true);
          // A client that has left in the meantime is not greeted any more.
          if (!this.#established.has(arrival.connection)) opening.greeting?.exchange.abort();
        });
      },
    };
    return new WebSocketServer(options);
  }
}

function requireUpgrade(connection: Connection): void {
  endWithHttp(connection, 426, 'this port takes an upgrade to websocket alone', { Upgrade: 'websocket' });
}
