import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2, {
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Service } from '@backlot/core/plugin';
import { createService, sniff, together, type Connection, type ListenerService } from '@backlot/kit';
import {
  goAway,
  handToHttp1,
  isHttpGuest,
  refuseHttpBytes,
  refuseHttpTunnel,
  SessionWatch,
} from '@backlot/kit/http';
import { handUpgradeOver, type HttpEntrance } from './hand-over.js';
import { Guests } from './guests.js';
import { RequestHandler } from './handler.js';
import { MountedPorts } from './mounted-ports.js';
import { Mounts } from './mounts.js';
import type { HttpContext } from './shape.js';
import type { ContractGate } from './contract/gate.js';
import type { Relay } from './upstream/relay.js';
import { HttpConnection } from './wire/connection.js';
import { serveAgain } from './wire/serve-again.js';
import { asOutgoing, type Incoming } from './wire/outgoing.js';

/** HTTP/2 connections begin with `PRI * HTTP/2.0`, and no HTTP/1 method is called PRI (RFC 9113, section 3.4). */
const PREFACE = Buffer.from('PRI ');
const HEADERS_TIMEOUT = 60_000;
const REQUEST_TIMEOUT = 300_000;
const CHECKING_INTERVAL = 5_000;
/** Streams of one HTTP/2 connection at one time. */
const MAX_STREAMS = 1000;
/** Memory of one HTTP/2 connection, in MiB. */
const MAX_MEMORY = 64;

/**
 * The HTTP listener: HTTP/1.1 and HTTP/2, in the clear and over TLS.
 *
 * @param relay - asks the upstream, where there is one
 * @param gate - holds requests and answers to the contract, where there is one
 */
export function createHttpService(context: HttpContext, relay?: Relay, gate?: ContractGate): Service {
  const servers = new HttpServers(context, relay, gate);
  const stream = {
    alpnProtocols: ['h2', 'http/1.1'],
    onStopping: (connection: Connection) => servers.sayGoodbye(connection),
  };
  const hasMounts = (context.config.mounts ?? []).length > 0;
  let stopping: Promise<void> | undefined;
  const ports = new MountedPorts(context, stream, (connection, path) => servers.take(connection, path));
  const service: ListenerService = createService(context, {
    stream: { ...stream, onConnection: (connection) => servers.take(connection, undefined) },
    onStarting: () => ports.start(),
    onStarted: () => servers.started(),
    onStopping: (grace) => {
      servers.endStreams();
      stopping = ports.stop(grace);
    },
    onStopped: async () => {
      await (stopping ?? ports.stop(0));
      servers.close();
      relay?.stop();
    },
    reset: () => {
      servers.endStreams();
      relay?.reset();
      gate?.reset();
    },
    ...(hasMounts && {
      describe: () => ({ connections: service.connections + ports.connections, mounts: ports.describe() }),
    }),
  });
  const ownConnections = service.openConnections.bind(service);
  const renewOwn = service.renew.bind(service);
  return Object.assign(service, {
    admit: (guest: unknown) => servers.admit(guest),
    entrance: servers.entrance,
    ...(hasMounts && {
      openConnections: () => [...ownConnections(), ...ports.openConnections()],
      renew: async () => together([await renewOwn(), await ports.renew()]),
    }),
  });
}

/** The servers of node:http and node:http2, which take connections that kit has accepted. */
class HttpServers {
  readonly #context: HttpContext;
  readonly #handler: RequestHandler;
  readonly #mounts: Mounts | undefined;
  readonly #http1: http.Server;
  readonly #http2: http2.Http2Server;
  readonly #bySocket = new WeakMap<Socket, HttpConnection>();
  readonly #bySession = new WeakMap<Http2Session, HttpConnection>();
  readonly #sessions = new WeakMap<Connection, ServerHttp2Session>();
  readonly #watch = new SessionWatch();
  /** The connection that is being handed to the HTTP/2 server; its session appears during that call. */
  #arriving: HttpConnection | undefined;

  constructor(context: HttpContext, relay: Relay | undefined, gate: ContractGate | undefined) {
    this.#context = context;
    this.#handler = new RequestHandler(context, relay, gate);
    if ((context.config.mounts ?? []).length > 0) this.#mounts = new Mounts(context.config);
    this.#http1 = this.#createHttp1();
    this.#http2 = this.#createHttp2();
  }

  /** node:http watches over its time-outs once it listens; here kit listens in its place. */
  started(): void {
    this.#http1.emit('listening');
  }

  /** Lets another kind share the listener. */
  admit(guest: unknown): void {
    if (!isHttpGuest(guest)) throw new TypeError('what shares an HTTP listener must be an HttpGuest');
    const guests = (this.#handler.guests ??= new Guests(this.#context));
    guests.admit(guest);
    // Without a listener node serves requests for upgrades as others, as it should while nobody wants one.
    if (guest.upgrade !== undefined && this.#http1.listenerCount('upgrade') === 0)
      this.#http1.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
        this.#upgrade(request, socket, head),
      );
  }

  /** Takes what came to the port of another world. */
  get entrance(): HttpEntrance {
    return {
      handle: this.#handler.handle,
      upgrade: (request, socket, head, connection) => this.#decide(request, socket, head, connection),
    };
  }

  endStreams(): void {
    this.#handler.endStreams();
  }

  /** Takes no more requests on the connections of HTTP/2. */
  sayGoodbye(connection: Connection): void {
    const session = this.#sessions.get(connection);
    if (session !== undefined) goAway(session, connection);
  }

  close(): void {
    this.#http1.close(() => undefined);
    this.#http2.close(() => undefined);
  }

  /**
   * Serves a connection in the version of HTTP that its client speaks.
   *
   * @param mount - the path that its requests are seen below
   */
  take(connection: Connection, mount: string | undefined): void {
    if (connection.encrypted) {
      if (connection.alpnProtocol === 'h2') this.#takeHttp2(connection, mount);
      else this.#takeHttp1(connection, mount);
      return;
    }
    sniff(connection, {
      bytes: PREFACE.length,
      timeout: HEADERS_TIMEOUT,
      choose: (head) => {
        if (!PREFACE.subarray(0, head.length).equals(head)) return (taken) => this.#takeHttp1(taken, mount);
        return head.length < PREFACE.length ? 'more' : (taken) => this.#takeHttp2(taken, mount);
      },
    });
  }

  #takeHttp1(connection: Connection, mount: string | undefined): void {
    this.#bySocket.set(connection.socket, new HttpConnection(connection, 1, mount));
    handToHttp1(connection, this.#http1);
  }

  #takeHttp2(connection: Connection, mount: string | undefined): void {
    this.#arriving = new HttpConnection(connection, 2, mount);
    connection.handOver(this.#http2, { byHandle: true });
    this.#arriving = undefined;
  }

  #decide(request: IncomingMessage, socket: Socket, head: Buffer, connection: HttpConnection): void {
    if (socket.destroyed) return;
    const asked = request.url;
    this.#mounts?.place(request, connection.mount);
    const isWebsocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    const guest = isWebsocket
      ? this.#handler.guests?.forUpgrade(request, connection, () =>
          this.#handler.message(request, connection, undefined),
        )
      : undefined;
    if (guest?.upgrade !== undefined) guest.upgrade(request, socket, head, connection.kit);
    else {
      this.#bySocket.set(socket, connection);
      serveAgain(this.#http1, request, asked, socket, head);
    }
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    const { spaces } = this.#context;
    const decide = connection.kit.isolate(() => {
      if (!handUpgradeOver(spaces, request, socket, head, connection))
        this.#decide(request, socket, head, connection);
    });
    // Requests before it may still wait for their answers.
    const { newest } = connection;
    connection.turns.take(() => {
      if (newest === undefined || newest.closed) decide();
      else newest.once('close', decide);
    });
  }

  /** The connection of a request that is about to be served; its path is that of its mount from now on. */
  #placed(request: Incoming, connection: HttpConnection | undefined): HttpConnection | undefined {
    if (connection !== undefined) this.#mounts?.place(request, connection.mount);
    return connection;
  }

  #createHttp1(): http.Server {
    const { handle, handleExpectation } = this.#handler;
    const of = (request: IncomingMessage): HttpConnection | undefined =>
      this.#placed(request, this.#bySocket.get(request.socket));
    const server = http.createServer({
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: CHECKING_INTERVAL,
    });
    // All headers count for matching; their size is bounded, not their number.
    server.maxHeadersCount = 0;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = of(request);
      if (connection !== undefined) connection.newest = response;
      connection?.turns.take(() => handle(request, asOutgoing(response), connection));
    });
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      const connection = of(request);
      if (connection !== undefined) connection.newest = response;
      connection?.turns.take(() => handleExpectation(request, asOutgoing(response), connection));
    });
    server.on('connect', (request: IncomingMessage) => {
      const connection = this.#bySocket.get(request.socket);
      connection?.turns.take(() => refuseHttpTunnel(connection.kit));
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const connection = this.#bySocket.get(socket as Socket);
      if (connection === undefined) socket.destroy();
      else connection.turns.take(() => refuseHttpBytes(error, connection.kit, connection.latest));
    });
    return server;
  }

  #createHttp2(): http2.Http2Server {
    const { handle, handleExpectation } = this.#handler;
    const of = (request: Http2ServerRequest): HttpConnection | undefined => {
      const { session } = request.stream;
      return session === undefined ? undefined : this.#placed(request, this.#bySession.get(session));
    };
    const server = http2.createServer({
      maxSessionMemory: MAX_MEMORY,
      settings: { maxConcurrentStreams: MAX_STREAMS },
    });
    server.on('session', (session) => {
      if (this.#arriving === undefined) return;
      this.#bySession.set(session, this.#arriving);
      this.#sessions.set(this.#arriving.kit, session);
      this.#watch.add(session, this.#arriving.kit);
      session.on('error', ignore);
    });
    server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const connection = of(request);
      connection?.turns.take(() => handle(request, asOutgoing(response), connection));
    });
    server.on('checkContinue', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const connection = of(request);
      connection?.turns.take(() => handleExpectation(request, asOutgoing(response), connection));
    });
    server.on('sessionError', ignore);
    return server;
  }
}

function ignore(): void {
  // The session ends by itself; without a listener the error would end the process.
}
