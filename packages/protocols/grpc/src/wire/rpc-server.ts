import {
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
} from '@grpc/grpc-js';
import {
  constants,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { SpaceDoors } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { goAway, handRequestOver, RequestTurns, SessionWatch } from '@backlot/kit/http';
import { cleanHeaders } from './clean-headers.js';
import { sendHttpFault } from './http-fault.js';
import { codeOfRefusal, refuseStream } from './refuse-stream.js';
import type { RpcCall } from './rpc-call.js';
import { Code } from './status.js';
import { MAX_TIMEOUT_MS, readTimeout, TIMEOUT } from './timeout.js';
import { Http2Carrier } from './web/http2-carrier.js';
import { isGrpc } from './web/request-kind.js';
import type { WebWire } from './web/web-wire.js';

/** Streams of one connection at one time. */
const MAX_STREAMS = 1000;
/** Memory of one connection, in MiB. */
const MAX_MEMORY = 64;

/** What of a call is no gRPC goes by the stream below it. */
class GrpcCall implements RpcCall {
  readonly path: string;
  readonly rpc: ServerInterceptingCallInterface;
  readonly connection: Connection;
  readonly timeout: string | undefined;
  readonly malformed = Code.INTERNAL;
  readonly #stream: ServerHttp2Stream;

  constructor(
    path: string,
    rpc: ServerInterceptingCallInterface,
    stream: ServerHttp2Stream,
    connection: Connection,
    timeout: string | undefined,
  ) {
    this.path = path;
    this.rpc = rpc;
    this.connection = connection;
    this.timeout = timeout;
    this.#stream = stream;
  }

  sentStatus(): number | undefined {
    const { sentTrailers, sentHeaders } = this.#stream;
    const sent = sentTrailers?.['grpc-status'] ?? sentHeaders?.['grpc-status'];
    return sent === undefined ? undefined : Number(sent);
  }

  reset(): void {
    this.#stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  sendHttp(status: number, body: string): void {
    sendHttpFault(this.#stream, this.connection, status, body);
  }
}

/** What takes streams of HTTP/2 that came to the port of another world. */
export interface StreamEntrance {
  takeStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection): void;
}

/** What a server of calls is made of. */
export interface RpcServerParts {
  readonly maxBytes: number;
  readonly spaces: SpaceDoors;
  readonly onCall: (call: RpcCall) => void;
  /** Takes the requests that are not of gRPC itself. */
  readonly web: WebWire;
}

/** What of the library is not in its types. */
interface Internals {
  handlers: { get(path: string): unknown };
  readonly http2Servers: ReadonlyMap<Http2Server, unknown>;
}

/**
 * The server of `@grpc/grpc-js` behind one interface. It never listens: kit hands it connections. Methods are not
 * registered, since a mock may name any: every path has a handler, and an interceptor takes the call before the
 * handler would run. The two private members that this needs are named in {@link Internals}.
 */
export class RpcServer implements StreamEntrance {
  readonly #server: Server;
  readonly #inject: (connection: Connection) => void;
  readonly #sessions = new WeakMap<Connection, ServerHttp2Session>();
  readonly #connections = new WeakMap<object, Connection>();
  /** The connections of streams that came to the port of another world. */
  readonly #entered = new WeakMap<ServerHttp2Stream, Connection>();
  readonly #watch = new SessionWatch();
  /** The connection that is being handed over; its session appears during that call. */
  #arriving: Connection | undefined;

  /** How long the clients of calls wait that have a deadline, which the library does not tell. */
  readonly #timeouts = new WeakMap<ServerHttp2Stream, string>();

  readonly #web: WebWire;
  readonly #spaces: SpaceDoors;
  /** The library's own listener for streams. */
  #takeCall: TakeStream = ignore;

  constructor({ maxBytes, spaces, onCall, web }: RpcServerParts) {
    this.#web = web;
    this.#spaces = spaces;
    this.#server = new Server({
      'grpc.enable_channelz': 0,
      'grpc.max_receive_message_length': maxBytes,
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': MAX_STREAMS,
      'grpc-node.max_session_memory': MAX_MEMORY,
      interceptors: [
        ({ path }, rpc) =>
          new ServerInterceptingCall(rpc, {
            start: () => {
              // Its streams are not in the types of the library either.
              const { stream } = rpc as unknown as { readonly stream: ServerHttp2Stream };
              const connection = this.#connectionOf(stream);
              if (connection === undefined) return;
              onCall(new GrpcCall(path, rpc, stream, connection, this.#timeouts.get(stream)));
            },
          }),
      ],
    });
    const internals = this.#server as unknown as Internals;
    internals.handlers = { get: handlerOf };
    const injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    for (const http2 of internals.http2Servers.keys()) this.#listen(http2);
    this.#inject = (connection) =>
      connection.handOver((socket) => injector.injectConnection(socket), { byHandle: true });
  }

  /** Takes a connection that speaks HTTP/2. */
  take(connection: Connection): void {
    this.#arriving = connection;
    this.#inject(connection);
    this.#arriving = undefined;
  }

  takeStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection): void {
    if (stream.destroyed) return;
    this.#entered.set(stream, connection);
    this.#serve(stream, headers, connection);
  }

  /** Tells a client that no further calls are taken; those that are under way may end. */
  sayGoodbye(connection: Connection): void {
    const session = this.#sessions.get(connection);
    if (session !== undefined) goAway(session, connection);
  }

  /** Frees what the library holds. */
  close(): void {
    this.#server.forceShutdown();
  }

  #listen(http2: Http2Server): void {
    const [take] = http2.listeners('stream') as TakeStream[];
    http2.removeAllListeners('stream');
    if (take !== undefined) this.#takeCall = take;
    http2.on('session', (session) => {
      const connection = this.#arriving;
      if (connection === undefined) return;
      this.#connections.set(session, connection);
      this.#sessions.set(connection, session);
      this.#watch.add(session, connection);
      session.on('error', ignore);
      // One chunk may bring hundreds of calls.
      const turns = new RequestTurns(connection, false);
      session.on(
        'stream',
        (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...more: StreamFacts) => {
          stream.on('error', ignore);
          turns.take(() => {
            if (stream.destroyed) return;
            const isElsewhere = handRequestOver<StreamEntrance>(this.#spaces, more[1], {
              pass: (entrance) =>
                connection.isolate(() => entrance.takeStream(stream, headers, connection))(),
              refuse: (status, message) => this.#refuse(stream, headers, connection, status, message),
            });
            if (!isElsewhere) this.#serve(stream, headers, connection);
          });
        },
      );
    });
    http2.on('sessionError', ignore);
  }

  #connectionOf(stream: ServerHttp2Stream): Connection | undefined {
    return (stream.session && this.#connections.get(stream.session)) ?? this.#entered.get(stream);
  }

  #refuse(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
    status: number,
    message: string,
  ): void {
    if (isGrpc(headers['content-type'])) return refuseStream(stream, connection, status, message);
    const carrier = new Http2Carrier(stream, headers, connection);
    connection.isolate(() => this.#web.take(carrier, { code: codeOfRefusal(status), message }))();
  }

  #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection): void {
    cleanHeaders(headers);
    // What the library throws at a stream that was reset already must not end the process.
    connection.isolate(() => {
      if (!isGrpc(headers['content-type']))
        return this.#web.take(new Http2Carrier(stream, headers, connection));
      this.#noteTimeout(stream, headers);
      this.#takeCall(stream, headers);
    })();
  }

  #noteTimeout(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const given = headers[TIMEOUT];
    if (typeof given !== 'string') return;
    this.#timeouts.set(stream, given);
    // A deadline that is farther away than a timer can wait.
    if ((readTimeout(given) ?? 0) > MAX_TIMEOUT_MS) delete headers[TIMEOUT];
  }
}

/** The library's listener for streams. */
type TakeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** What follows a stream and its headers: flags, and names and values of the headers in turn. */
type StreamFacts = [flags: number, raw: string[]];

/** A handler for whatever path; it takes messages as bytes, and is never run. */
function handlerOf(path: string): unknown {
  return { func: ignore, serialize: identity, deserialize: identity, type: 'unary', path };
}

function identity<T>(value: T): T {
  return value;
}

function ignore(): void {
  // Errors of a session or of a stream end it, and reach the call as a cancellation.
}
