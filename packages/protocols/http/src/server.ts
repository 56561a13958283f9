import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2, {
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Listening, Service, ServiceStatus } from '@backlot/core/plugin';
import {
  admitBy,
  createStreamServer,
  refuseHttpBytes,
  refuseHttpTunnel,
  SessionWatch,
  sniff,
  type Connection,
  type StreamServer,
} from '@backlot/kit';
import { RequestHandler } from './handler.js';
import type { HttpContext } from './shape.js';
import { HttpConnection } from './wire/http-connection.js';
import { asOutgoing } from './wire/outgoing.js';

/** HTTP/2 connections begin with `PRI * HTTP/2.0`, and no HTTP/1 method is called PRI (RFC 9113, section 3.4). */
const PREFACE = Buffer.from('PRI ');
const HEADERS_TIMEOUT = 60_000;
const REQUEST_TIMEOUT = 300_000;
const CHECKING_INTERVAL = 5_000;
/** Streams of one HTTP/2 connection at one time. */
const MOST_STREAMS = 1000;
/** Memory of one HTTP/2 connection, in MiB. */
const MOST_MEMORY = 64;

/** The HTTP listener: HTTP/1.1 and HTTP/2, in the clear and over TLS. */
export class HttpServer implements Service {
  readonly #context: HttpContext;
  readonly #handler: RequestHandler;
  readonly #server: StreamServer;
  readonly #http1: http.Server;
  readonly #http2: http2.Http2Server;
  readonly #bySocket = new WeakMap<Socket, HttpConnection>();
  readonly #bySession = new WeakMap<Http2Session, HttpConnection>();
  readonly #sessions = new WeakMap<Connection, ServerHttp2Session>();
  readonly #watch = new SessionWatch();
  /** The connection that is being handed to the HTTP/2 server; its session appears during that call. */
  #arriving: HttpConnection | undefined;
  #failure: Error | undefined;
  readonly #hasTls: boolean;

  constructor(context: HttpContext) {
    this.#context = context;
    this.#handler = new RequestHandler(context);
    this.#http1 = this.#createHttp1();
    this.#http2 = this.#createHttp2();
    const { host, port, tls } = context.config;
    this.#hasTls = tls !== undefined && tls.enabled !== false;
    this.#server = createStreamServer({
      host,
      port,
      ...(this.#hasTls
        ? { tls: { ...tls, mode: 'implicit' as const, alpnProtocols: ['h2', 'http/1.1'] } }
        : {}),
      onConnection: (connection) => this.#take(connection),
      admit: admitBy(context.faults, context.clock),
      onStopping: (connection) => this.#sessions.get(connection)?.close(),
      onError: (error, where) => {
        if (where === 'connection' && !isNetworkError(error))
          context.log.error('a connection was ended', error);
      },
      onFailure: (error) => {
        this.#failure = error;
        context.log.error('the listener has died', error);
      },
    });
  }

  async start(port: number): Promise<Listening> {
    const place = await this.#server.start(port);
    // node:http watches over its time-outs once it listens; here kit listens in its place.
    this.#http1.emit('listening');
    return place;
  }

  async stop(graceMilliseconds: number): Promise<void> {
    this.#handler.endStreams();
    await this.#server.stop(graceMilliseconds);
    this.#http1.close(() => undefined);
    this.#http2.close(() => undefined);
  }

  reset(): void {
    this.#handler.endStreams();
  }

  status(): ServiceStatus {
    return {
      connections: this.#server.connections,
      tls: this.#hasTls,
      ...(this.#failure === undefined ? {} : { error: this.#failure.message }),
    };
  }

  #take(connection: Connection): void {
    if (connection.encrypted) {
      if (connection.alpnProtocol === 'h2') this.#takeHttp2(connection);
      else this.#takeHttp1(connection);
      return;
    }
    sniff(connection, {
      bytes: PREFACE.length,
      timeout: HEADERS_TIMEOUT,
      choose: (head) => {
        if (!PREFACE.subarray(0, head.length).equals(head)) return (taken) => this.#takeHttp1(taken);
        return head.length < PREFACE.length ? 'more' : (taken) => this.#takeHttp2(taken);
      },
    });
  }

  #takeHttp1(connection: Connection): void {
    this.#bySocket.set(connection.socket, new HttpConnection(connection));
    connection.handOver(this.#http1, { halfOpen: true });
  }

  #takeHttp2(connection: Connection): void {
    this.#arriving = new HttpConnection(connection);
    connection.handOver(this.#http2);
    this.#arriving = undefined;
  }

  #createHttp1(): http.Server {
    const { handle, handleExpectation } = this.#handler;
    const of = (request: IncomingMessage): HttpConnection | undefined => this.#bySocket.get(request.socket);
    const server = http.createServer({
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: CHECKING_INTERVAL,
    });
    // All headers count for matching; their size is bounded, not their number.
    server.maxHeadersCount = 0;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = of(request);
      if (connection !== undefined) handle(request, asOutgoing(response), connection);
    });
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      const connection = of(request);
      if (connection !== undefined) handleExpectation(request, asOutgoing(response), connection);
    });
    server.on('connect', (request: IncomingMessage) => {
      const connection = of(request);
      if (connection !== undefined) refuseHttpTunnel(connection.kit);
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const connection = this.#bySocket.get(socket as Socket);
      if (connection === undefined) socket.destroy();
      else refuseHttpBytes(error, connection.kit, connection.latest);
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
      maxSessionMemory: MOST_MEMORY,
      settings: { maxConcurrentStreams: MOST_STREAMS },
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
      if (connection !== undefined) handle(request, asOutgoing(response), connection);
    });
    server.on('checkContinue', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const connection = of(request);
      if (connection !== undefined) handleExpectation(request, asOutgoing(response), connection);
    });
    server.on('sessionError', ignore);
    return server;
  }
}

function isNetworkError(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return (
    code !== undefined && /^(E[A-Z]+|ERR_HTTP2_[A-Z_]+|ERR_SSL_[A-Z0-9_]+|ERR_STREAM_[A-Z_]+)$/.test(code)
  );
}

function ignore(): void {
  // The session ends by itself; without a listener the error would end the process.
}
