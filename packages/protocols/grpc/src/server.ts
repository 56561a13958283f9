import type { Json, Service } from '@backlot/core/plugin';
import { createGuestService, createService, GuestConnections, sniff, type Connection } from '@backlot/kit';
import { HttpAcceptor, type GuestServer, type HttpGuest, type RequestEntrance } from '@backlot/kit/http';
import { Call } from './call.js';
import { missingServiceFiles } from './config.js';
import { healthHandler } from './own/health.js';
import { serveOwn } from './own/own-service.js';
import { reflectionHandler } from './own/reflection.js';
import type { Method } from './schema/model.js';
import type { SchemaRegistry } from './schema/registry.js';
import type { GrpcContext } from './shape.js';
import type { Relay } from './upstream/relay.js';
import type { Relays } from './upstream/relays.js';
import type { RpcCall } from './wire/rpc-call.js';
import { codeOfRefusal } from './wire/refuse-stream.js';
import { RpcServer, type StreamEntrance } from './wire/rpc-server.js';
import { Http1Carrier } from './wire/web/http1-carrier.js';
import { isGrpc } from './wire/web/request-kind.js';
import { WebWire } from './wire/web/web-wire.js';

/** How HTTP/2 begins (RFC 9113, section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const PREFACE_TIMEOUT = 20_000;
const HTTP1 = /^[A-Z]{3,7} /;
const MAYBE_HTTP1 = /^[A-Z]{1,7}$/;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** A running listener of gRPC. */
export interface GrpcService extends Service {
  /** The schemas that are served. */
  readonly registry: SchemaRegistry;
}

/** The gRPC listener. @param relays - asks the upstream, where there is one */
export function createGrpcService(context: GrpcContext, relays?: Relays): GrpcService {
  const { registry } = context.mocks.index;
  context.addToSnapshots('protos', {
    save: () => registry.save(),
    restore: (saved) => registry.restore(saved),
  });
  const reception = new Reception(context, relays);
  const recordedSettings = relays && ((): Json => settingsOf(context, relays));
  const more = { registry, ...(recordedSettings && { recordedSettings }) };
  if (context.config.share !== undefined)
    return Object.assign(shareListener(context, reception, relays), more);
  const service = createService(context, {
    stream: {
      alpnProtocols: ['h2', 'http/1.1'],
      onConnection: (connection) => reception.take(connection),
      onStopping: (connection) => reception.sayGoodbye(connection),
    },
    onStarted: () => warnOfMissing(context),
    onStopping: () => reception.endStreams(),
    ...(relays && { reset: () => relays.reset() }),
    onStopped: () => {
      reception.close();
      relays?.stop();
    },
    entrance: reception.entrance,
  });
  return Object.assign(service, more);
}

/** Takes the calls of gRPC itself on a listener that another kind has. */
function shareListener(context: GrpcContext, reception: Reception, relays: Relays | undefined): Service {
  const connections = new GuestConnections(context);
  const { entrance } = reception;
  const guest: HttpGuest = {
    kind: context.kind,
    takesStream: ({ method, headers }) => method === 'POST' && isGrpc(headers['content-type']),
    stream: (stream, headers, connection, server) =>
      connections.admit(connection, () => entrance.takeStream(stream, headers, connection, server)),
    leadsOn: relays !== undefined,
  };
  warnOfMissing(context);
  return createGuestService(connections, {
    guest,
    onStopping: () => reception.endStreams(),
    onStopped: () => {
      reception.close();
      relays?.stop();
    },
    ...(relays && { reset: () => relays.reset() }),
  });
}

function warnOfMissing({ config, log }: GrpcContext): void {
  for (const path of missingServiceFiles(config))
    log.warn(`"${path}" is not there: methods without a schema answer as JSON text`);
}

/** Recordings are of the types of their methods, which were learned, and of calls that came to the listener of another kind. */
function settingsOf({ config: { share } }: GrpcContext, { descriptors }: Relays): Json {
  return {
    ...(share === undefined ? {} : { share }),
    ...(descriptors === undefined ? {} : { descriptors: [descriptors] }),
  };
}

/** Takes connections, and serves the calls on them. */
class Reception {
  readonly #context: GrpcContext;
  readonly #relays: Relays | undefined;
  readonly #rpc: RpcServer;
  readonly #web: WebWire;
  readonly #calls = new Set<Call>();
  /** Made for the first client that speaks HTTP/1.1. */
  #http1: HttpAcceptor | undefined;

  constructor(context: GrpcContext, relays: Relays | undefined) {
    this.#context = context;
    this.#relays = relays;
    const { max_message_bytes: maxBytes = DEFAULT_MAX_BYTES, cors: hasCors = false } = context.config;
    const onCall = (call: RpcCall, server?: GuestServer): void => this.#serve(call, server);
    const methodOf = (path: string): Method | undefined => context.mocks.index.registry.method(path);
    // Calls that come to a port of our own have one server.
    const schemas = relays?.of(undefined)?.schemas;
    const learn = schemas && ((path: string) => (schemas.knows(path) ? undefined : schemas.learn(path)));
    this.#web = new WebWire({ maxBytes, hasCors, methodOf, onCall, learn });
    this.#rpc = new RpcServer({ maxBytes, spaces: context.spaces, onCall, web: this.#web });
  }

  sayGoodbye(connection: Connection): void {
    this.#rpc.sayGoodbye(connection);
  }

  endStreams(): void {
    for (const call of this.#calls) call.endStream();
  }

  close(): void {
    this.#rpc.close();
    this.#http1?.stop();
  }

  /** What takes requests that came to the port of another world, in either version of HTTP. */
  get entrance(): StreamEntrance & RequestEntrance {
    return {
      takeStream: (...arrived) => this.#rpc.takeStream(...arrived),
      request: this.#request,
    };
  }

  take(connection: Connection): void {
    sniff(connection, {
      bytes: PREFACE.length,
      timeout: PREFACE_TIMEOUT,
      choose: (head) => {
        if (PREFACE.subarray(0, head.length).equals(head))
          return head.length < PREFACE.length ? 'more' : (taken) => this.#rpc.take(taken);
        const text = head.toString('latin1');
        if (HTTP1.test(text)) return (taken) => this.#takeHttp1(taken);
        return MAYBE_HTTP1.test(text) ? 'more' : (taken) => taken.destroy();
      },
    });
  }

  #takeHttp1(connection: Connection): void {
    this.#http1 ??= this.#openHttp1();
    this.#http1.take(connection);
  }

  #openHttp1(): HttpAcceptor {
    const http1 = new HttpAcceptor({
      onRequest: this.#request,
      spaces: this.#context.spaces,
      onRefused: (request, response, connection, { status, message }) =>
        this.#web.take(new Http1Carrier(request, response, connection), {
          code: codeOfRefusal(status),
          message,
        }),
    });
    http1.start();
    return http1;
  }

  readonly #request: RequestEntrance['request'] = (request, response, connection) =>
    this.#web.take(new Http1Carrier(request, response, connection));

  #serve(call: RpcCall, server: GuestServer | undefined): void {
    const relay = this.#relays?.of(server);
    if (relay === undefined) return this.#serveOwn(call);
    if (relay.schemas.knows(call.path)) return this.#begin(call, relay);
    const { connection } = call;
    connection.busy();
    void relay.schemas.learn(call.path).then(
      connection.isolate(() => {
        if (!connection.isClosed) this.#begin(call, relay);
        connection.idle();
      }),
    );
  }

  #serveOwn(call: RpcCall): void {
    const { index } = this.#context.mocks;
    const own = healthHandler(call.path, index) ?? reflectionHandler(call.path, index.registry);
    const method = own === undefined ? undefined : index.registry.method(call.path);
    // A mock that names the method has the say.
    if (own !== undefined && method !== undefined && !index.names(call.path)) {
      serveOwn(call, method, own);
      return;
    }
    this.#begin(call);
  }

  #begin(call: RpcCall, relay?: Relay): void {
    const served = new Call(this.#context, call, (ended) => this.#calls.delete(ended), relay);
    this.#calls.add(served);
    served.start();
  }
}
