import {
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
} from '@grpc/grpc-js';
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Connection } from '@backlot/kit';
import { RequestTurns, SessionWatch } from '@backlot/kit/http';

/** Streams of one connection at one time. */
const MAX_STREAMS = 1000;
/** Memory of one connection, in MiB. */
const MAX_MEMORY = 64;
/** Node's timers fire at once beyond it, and so does the library's arithmetic. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const KEY = /^[0-9a-z_.-]+$/;
const TEXT = /^[\x20-\x7e]*$/;
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** A call that has come in: the library frames it, unpacks it and watches over its deadline. */
export interface RpcCall {
  readonly path: string;
  readonly rpc: ServerInterceptingCallInterface;
  /** The stream below the call, for what is no gRPC. */
  readonly stream: ServerHttp2Stream;
  readonly connection: Connection;
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
export class RpcServer {
  readonly #server: Server;
  readonly #inject: (connection: Connection) => void;
  readonly #sessions = new WeakMap<Connection, ServerHttp2Session>();
  readonly #connections = new WeakMap<object, Connection>();
  readonly #watch = new SessionWatch();
  /** The connection that is being handed over; its session appears during that call. */
  #arriving: Connection | undefined;

  constructor(maxBytes: number, onCall: (call: RpcCall) => void) {
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
              const connection = stream.session && this.#connections.get(stream.session);
              if (connection !== undefined) onCall({ path, rpc, stream, connection });
            },
          }),
      ],
    });
    const internals = this.#server as unknown as Internals;
    internals.handlers = { get: handlerOf };
    const injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    for (const http2 of internals.http2Servers.keys()) this.#listen(http2);
    this.#inject = (connection) => connection.handOver((socket) => injector.injectConnection(socket));
  }

  /** Takes a connection that speaks HTTP/2. */
  take(connection: Connection): void {
    this.#arriving = connection;
    this.#inject(connection);
    this.#arriving = undefined;
  }

  /** Tells a client that no further calls are taken; those that are under way may end. */
  sayGoodbye(connection: Connection): void {
    this.#sessions.get(connection)?.close();
  }

  /** Frees what the library holds. */
  close(): void {
    this.#server.forceShutdown();
  }

  #listen(http2: Http2Server): void {
    const [take] = http2.listeners('stream') as TakeStream[];
    http2.removeAllListeners('stream');
    http2.on('session', (session) => {
      const connection = this.#arriving;
      if (connection === undefined || take === undefined) return;
      this.#connections.set(session, connection);
      this.#sessions.set(connection, session);
      this.#watch.add(session, connection);
      session.on('error', ignore);
      // What the library throws at a stream that was reset already must not end the process.
      const isolated = connection.isolate(take);
      // One chunk may bring hundreds of calls.
      const turns = new RequestTurns(connection, false);
      session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
        stream.on('error', ignore);
        turns.take(() => {
          if (stream.destroyed) return;
          clean(headers);
          isolated(stream, headers);
        });
      });
    });
    http2.on('sessionError', ignore);
  }
}

/** The library's listener for streams. */
type TakeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** Takes away what the library would stumble over: it complains on the console about metadata that cannot be. */
function clean(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (name.startsWith(':')) continue;
    const value = headers[name];
    const isLegal =
      KEY.test(name) &&
      (name.endsWith('-bin') || (typeof value === 'string' ? isText(value) : (value ?? []).every(isText)));
    if (!isLegal) delete headers[name];
  }
  const timeout = headers['grpc-timeout'];
  if (typeof timeout === 'string' && isLong(timeout)) delete headers['grpc-timeout'];
}

function isText(value: string): boolean {
  return TEXT.test(value);
}

/** Whether a deadline is farther away than a timer can wait. */
function isLong(timeout: string): boolean {
  const found = /^(\d{1,8})\s*([HMSmun])$/.exec(timeout);
  return found !== null && Number(found[1]) * (UNITS[found[2] ?? ''] ?? 0) > MAX_TIMEOUT_MS;
}

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
