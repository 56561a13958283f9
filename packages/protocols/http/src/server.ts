import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2, {
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Service } from '@backlot/core/plugin';
import {
  createService,
  processCertificate,
  sniff,
  together,
  type Connection,
  type ListenerService,
} from '@backlot/kit';
import {
  endWithHttp,
  goAway,
  handToHttp1,
  isHttpGuest,
  jsonAnswer,
  makeHeaders,
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
import type { Origin } from './proxy/origin.js';
import type { openProxyWarning } from './proxy/open-proxy.js';
import type { Proxy, TakeConnection } from './proxy/proxy.js';
import type { Relay } from './upstream/relay.js';
import { HttpConnection } from './wire/connection.js';
import { serveAgain } from './wire/serve-again.js';
import { asOutgoing, sendAnswer, type Incoming } from './wire/outgoing.js';

/** HTTP/2 connections begin with `PRI * HTTP/2.0`, and no HTTP/1 method is called PRI (RFC 9113, section 3.4). */
const PREFACE = Buffer.from('PRI ');
const HEADERS_TIMEOUT = 60_000;
const REQUEST_TIMEOUT = 300_000;
const CHECKING_INTERVAL = 5_000;
/** Streams of one HTTP/2 connection at one time. */
const MAX_STREAMS = 1000;
/** Memory of one HTTP/2 connection, in MiB. */
const MAX_MEMORY = 64;

/** Parts of the listener that are loaded where they are used. */
export interface HttpParts {
  /** Asks the upstream, where there is one. */
  readonly relay?: Relay;
  /** Holds requests and answers to the contract, where there is one. */
  readonly gate?: ContractGate | undefined;
  /** Makes what takes requests for other servers, where the listener is a proxy. */
  readonly makeProxy?: (take: TakeConnection) => Proxy;
  readonly openProxyWarning?: typeof openProxyWarning;
}

/** The HTTP listener: HTTP/1.1 and HTTP/2, in the clear and over TLS. */
export function createHttpService(context: HttpContext, parts: HttpParts = {}): Service {
  const servers = new HttpServers(context, parts);
  const stream = {
    alpnProtocols: ['h2', 'http/1.1'],
    onStopping: (connection: Connection) => servers.sayGoodbye(connection),
  };
  const hasMounts = (context.config.mounts ?? []).length > 0;
  let stopping: Promise<void> | undefined;
  const ports = new MountedPorts(context, stream, (connection, path) => servers.take(connection, path));
  const service: ListenerService = createService(context, {
    stream: { ...stream, onConnection: (connection) => servers.take(connection, undefined) },
    onStarting: async () => {
      // Making it takes long, and no client of a proxy should wait for that.
      if (parts.makeProxy !== undefined) await processCertificate();
      await ports.start();
    },
    onStarted: (place) => {
      servers.started();
      const { proxy } = context.config;
      const warning =
        proxy && parts.openProxyWarning?.(proxy, place, context.upstream !== undefined || servers.leadOn);
      if (warning !== undefined) context.log.warn(warning);
    },
    onStopping: (grace) => {
      servers.endStreams();
      stopping = ports.stop(grace);
    },
    onStopped: async () => {
      await (stopping ?? ports.stop(0));
      servers.close();
    },
    reset: () => {
      servers.endStreams();
      servers.reset();
      parts.gate?.reset();
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
  readonly #proxy: Proxy | undefined;
  readonly #bySocket = new WeakMap<Socket, HttpConnection>();
  readonly #bySession = new WeakMap<Http2Session, HttpConnection>();
  readonly #sessions = new WeakMap<Connection, ServerHttp2Session>();
  readonly #watch = new SessionWatch();
  /** The connection that is being handed to the HTTP/2 server; its session appears during that call. */
  #arriving: HttpConnection | undefined;

  constructor(context: HttpContext, { relay, gate, makeProxy }: HttpParts) {
    this.#context = context;
    this.#handler = new RequestHandler(context, relay, gate);
    if ((context.config.mounts ?? []).length > 0) this.#mounts = new Mounts(context.config);
    this.#proxy = makeProxy?.((connection, mount, origin) => this.take(connection, mount, origin));
    this.#http1 = this.#createHttp1();
    this.#http2 = this.#createHttp2();
    if (relay !== undefined) this.#listenForUpgrades();
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
    if (guest.upgrade !== undefined) this.#listenForUpgrades();
  }

  #listenForUpgrades(): void {
    if (this.#http1.listenerCount('upgrade') > 0) return;
    this.#http1.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
  }

  /** Whether a kind that shares the listener leads on to the servers that its requests are for. */
  get leadOn(): boolean {
    return this.#handler.guests?.leadOn === true;
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

  reset(): void {
    this.#handler.reset();
  }

  close(): void {
    this.#handler.stop();
    this.#http1.close(() => undefined);
    this.#http2.close(() => undefined);
  }

  /**
   * Serves a connection in the version of HTTP that its client speaks.
   *
   * @param mount - the path that its requests are seen below
   * @param origin - the server that they are for, where a CONNECT came before
   */
  take(connection: Connection, mount: string | undefined, origin?: Origin): void {
    if (origin?.isSecure ?? connection.encrypted) {
      if (connection.alpnProtocol === 'h2') this.#takeHttp2(connection, mount, origin);
      else this.#takeHttp1(connection, mount, origin);
      return;
    }
    sniff(connection, {
      bytes: PREFACE.length,
      timeout: HEADERS_TIMEOUT,
      choose: (head) => {
        if (!PREFACE.subarray(0, head.length).equals(head))
          return (taken) => this.#takeHttp1(taken, mount, origin);
        return head.length < PREFACE.length ? 'more' : (taken) => this.#takeHttp2(taken, mount, origin);
      },
    });
  }

  #takeHttp1(connection: Connection, mount: string | undefined, origin: Origin | undefined): void {
    this.#bySocket.set(connection.socket, new HttpConnection(connection, 1, mount, origin));
    handToHttp1(connection, this.#http1);
  }

  #takeHttp2(connection: Connection, mount: string | undefined, origin: Origin | undefined): void {
    this.#arriving = new HttpConnection(connection, 2, mount, origin);
    connection.handOver(this.#http2, { byHandle: true });
    this.#arriving = undefined;
  }

  #decide(request: IncomingMessage, socket: Socket, head: Buffer, connection: HttpConnection): void {
    if (socket.destroyed) return;
    const asked = request.url;
    this.#mounts?.place(request, connection.mount);
    const isWebsocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    // What is tunnelled goes to its server unseen.
    const isSeen = connection.originOf(request)?.isTunnelled !== true;
    const guest =
      isWebsocket && isSeen
        ? this.#handler.guests?.forUpgrade(request, connection, () =>
            this.#handler.message(request, connection, undefined),
          )
        : undefined;
    if (guest?.upgrade !== undefined)
      guest.upgrade(request, socket, head, connection.kit, this.#handler.serverOf(request, connection));
    else if (isWebsocket && this.#handler.takesUpgrade(request, connection))
      this.#handler.handleUpgrade(request, socket, head, connection);
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
      const refusal = this.#proxy?.admit(request, connection);
      if (refusal !== undefined)
        return endWithHttp(connection.kit, refusal.status, refusal.error, { ...refusal.headers });
      if (!handUpgradeOver(spaces, request, socket, head, connection))
        this.#decide(request, socket, head, connection);
    });
    this.#afterAnswers(connection, decide);
  }

  /** Serves a request in its turn; its path is that of its mount from now on. */
  #serve(
    request: Incoming,
    response: ServerResponse | Http2ServerResponse,
    connection: HttpConnection | undefined,
    answer: RequestHandler['handle'],
  ): void {
    if (connection === undefined) return;
    const outgoing = asOutgoing(response);
    connection.turns.take(() => {
      const refusal = this.#proxy?.admit(request, connection);
      if (refusal !== undefined) {
        const headers = Object.assign(makeHeaders(), refusal.headers);
        return sendAnswer(request, outgoing, jsonAnswer(refusal.status, { error: refusal.error }, headers));
      }
      this.#mounts?.place(request, connection.mount);
      answer(request, outgoing, connection);
    });
  }

  /** Calls back when all requests before one have their answers. */
  #afterAnswers(connection: HttpConnection, go: () => void): void {
    const { newest } = connection;
    connection.turns.take(() => {
      if (newest === undefined || newest.closed) go();
      else newest.once('close', go);
    });
  }

  #createHttp1(): http.Server {
    const { handle, handleExpectation } = this.#handler;
    const serve = (
      request: IncomingMessage,
      response: ServerResponse,
      answer: RequestHandler['handle'],
    ): void => {
      const connection = this.#bySocket.get(request.socket);
      if (connection !== undefined) connection.newest = response;
      this.#serve(request, response, connection, answer);
    };
    const server = http.createServer({
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: CHECKING_INTERVAL,
    });
    // All headers count for matching; their size is bounded, not their number.
    server.maxHeadersCount = 0;
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      serve(request, response, handle),
    );
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
      serve(request, response, handleExpectation),
    );
    server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const connection = this.#bySocket.get(socket);
      if (connection === undefined) return;
      const go = connection.kit.isolate(() => {
        if (this.#proxy === undefined) refuseHttpTunnel(connection.kit);
        else this.#proxy.connect(request, head, connection);
      });
      this.#afterAnswers(connection, go);
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
      return session === undefined ? undefined : this.#bySession.get(session);
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
    server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) =>
      this.#serve(request, response, of(request), handle),
    );
    server.on('checkContinue', (request: Http2ServerRequest, response: Http2ServerResponse) =>
      this.#serve(request, response, of(request), handleExpectation),
    );
    server.on('sessionError', ignore);
    return server;
  }
}

function ignore(): void {
  // The session ends by itself; without a listener the error would end the process.
}
