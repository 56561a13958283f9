import http2, {
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { SpaceDoors } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import {
  goAway,
  handRequestOver,
  RequestTurns,
  SessionWatch,
  type GuestServer,
  type HandOver,
} from '@backlot/kit/http';
import { CallHeaders, LastHeaders } from './call-headers.js';
import { GrpcCall } from './grpc-call.js';
import { readGrpcHead } from './grpc-head.js';
import { Http2Carrier } from './http2-carrier.js';
import { codeOfRefusal, refuseStream } from './refuse-stream.js';
import type { RpcCall } from './rpc-call.js';
import { isGrpc } from './web/request-kind.js';
import type { WebWire } from './web/web-wire.js';

/** Streams of one connection at one time. */
const MAX_STREAMS = 1000;
/** Memory of one connection, in MiB. */
const MAX_MEMORY = 64;

/** What takes streams of HTTP/2 that came to the port of another world. */
export interface StreamEntrance {
  /** @param server - which the call is for, where the listener is a proxy */
  takeStream(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
    server?: GuestServer,
  ): void;
}

/** What a server of calls is made of. */
export interface RpcServerParts {
  /** The most bytes of a request message. */
  readonly maxBytes: number;
  readonly spaces: SpaceDoors;
  readonly onCall: (call: RpcCall, server?: GuestServer) => void;
  /** Takes the requests that are not of gRPC itself. */
  readonly web: WebWire;
}

/** A server of calls over HTTP/2. It never listens: kit hands it connections. */
export class RpcServer implements StreamEntrance {
  readonly #parts: RpcServerParts;
  readonly #http2: Http2Server;
  readonly #sessions = new Map<Connection, ServerHttp2Session>();
  readonly #watch = new SessionWatch();
  /** The connection that is being handed over; its session appears during that call. */
  #arriving: Connection | undefined;

  constructor(parts: RpcServerParts) {
    this.#parts = parts;
    this.#http2 = http2.createServer({
      maxSessionMemory: MAX_MEMORY,
      settings: { maxConcurrentStreams: MAX_STREAMS },
    });
    this.#http2.on('session', (session) => this.#open(session));
    this.#http2.on('sessionError', ignore);
  }

  /** Takes a connection that speaks HTTP/2. */
  take(connection: Connection): void {
    this.#arriving = connection;
    connection.handOver(this.#http2, { byHandle: true });
    this.#arriving = undefined;
  }

  takeStream(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
    server?: GuestServer,
  ): void {
    if (!stream.destroyed) this.#serve(stream, headers, connection, undefined, server);
  }

  /** Tells a client that no further calls are taken; those that are under way may end. */
  sayGoodbye(connection: Connection): void {
    const session = this.#sessions.get(connection);
    if (session !== undefined) goAway(session, connection);
  }

  /** Ends the sessions that are left. */
  close(): void {
    for (const session of this.#sessions.values()) session.destroy();
  }

  #open(session: ServerHttp2Session): void {
    const connection = this.#arriving;
    if (connection === undefined) return;
    this.#sessions.set(connection, session);
    this.#watch.add(session, connection);
    session.on('error', ignore);
    session.once('close', () => this.#sessions.delete(connection));
    // One chunk may bring hundreds of calls.
    const turns = new RequestTurns(connection, false);
    const last = new LastHeaders();
    session.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
        stream.on('error', ignore);
        const arrival = new Arrival(this, stream, headers, connection);
        turns.take(() => {
          if (stream.destroyed || handRequestOver(this.#parts.spaces, raw, arrival)) return;
          this.#serve(stream, headers, connection, last.of(raw, headers, connection.encrypted));
        });
      },
    );
  }

  /** Answers a request for a space that cannot be entered. @param status - of HTTP */
  refuse(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
    status: number,
    message: string,
  ): void {
    if (isGrpc(headers['content-type'])) return refuseStream(stream, connection, status, message);
    const carrier = new Http2Carrier(stream, headers, connection);
    connection.isolate(() => this.#parts.web.take(carrier, { code: codeOfRefusal(status), message }))();
  }

  #serve(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
    known = new CallHeaders(headers, connection.encrypted),
    server?: GuestServer,
  ): void {
    // What is thrown at a stream that was reset already must not end the process.
    connection.isolate(() => {
      const { maxBytes, onCall, web } = this.#parts;
      const carrier = new Http2Carrier(stream, headers, connection);
      if (!isGrpc(headers['content-type']) || carrier.method !== 'POST') return web.take(carrier);
      const head = readGrpcHead(headers);
      const call = new GrpcCall(carrier, head, known, maxBytes);
      onCall(call, server);
      if (head.problem !== undefined) call.breakOff(head.problem.code, head.problem.message);
    })();
  }
}

/** A request that may be for a space. */
class Arrival implements HandOver<StreamEntrance> {
  readonly #server: RpcServer;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #connection: Connection;

  constructor(
    server: RpcServer,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
  ) {
    this.#server = server;
    this.#stream = stream;
    this.#headers = headers;
    this.#connection = connection;
  }

  pass(entrance: StreamEntrance): void {
    this.#connection.isolate(() => entrance.takeStream(this.#stream, this.#headers, this.#connection))();
  }

  refuse(status: number, message: string): void {
    this.#server.refuse(this.#stream, this.#headers, this.#connection, status, message);
  }
}

function ignore(): void {
  // Errors of a session or of a stream end it, and reach the call as a cancellation.
}
