import { messageOf, type Listening, type Service, type ServiceStatus } from '@backlot/core/plugin';
import {
  admitBy,
  createStreamServer,
  endWithHttp,
  sniff,
  type Connection,
  type StreamServer,
} from '@backlot/kit';
import { Call } from './call.js';
import { missingServiceFiles } from './config.js';
import { healthHandler } from './own/health.js';
import { serveOwn } from './own/own-service.js';
import { reflectionHandler } from './own/reflection.js';
import type { SchemaRegistry } from './schema/registry.js';
import type { GrpcContext } from './shape.js';
import { RpcServer, type RpcCall } from './wire/rpc-server.js';

/** How HTTP/2 begins (RFC 9113, section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const PREFACE_TIMEOUT = 20_000;
const HTTP1 = /^[A-Z]{3,7} /;
const DEFAULT_MOST_BYTES = 4 * 1024 * 1024;

/** The gRPC listener. */
export class GrpcServer implements Service {
  readonly #context: GrpcContext;
  readonly #streams: StreamServer;
  readonly #rpc: RpcServer;
  readonly #calls = new Set<Call>();
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: GrpcContext) {
    this.#context = context;
    const { host, port, tls, max_message_bytes: mostBytes } = context.config;
    context.keep('protos', {
      save: () => this.registry.save(),
      restore: (saved) => this.registry.restore(saved),
    });
    this.#rpc = new RpcServer(mostBytes ?? DEFAULT_MOST_BYTES, (call) => this.#serve(call));
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#streams = createStreamServer({
      host,
      port,
      tls: this.#isEncrypted ? { ...tls, mode: 'implicit', alpnProtocols: ['h2'] } : undefined,
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#take(connection),
      onStopping: (connection) => this.#rpc.sayGoodbye(connection),
      onError: (error, where) => {
        // What clients do wrong on the wire is theirs.
        if (where === 'connection' && !isNetworkError(error))
          context.log.error('a connection was ended', error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  /** The schemas that are served. */
  get registry(): SchemaRegistry {
    return this.#context.mocks.index.registry;
  }

  start(port: number): Promise<Listening> {
    for (const path of missingServiceFiles(this.#context.config)) {
      this.#context.log.warn(`"${path}" is not there: methods without a schema answer as JSON text`);
    }
    return this.#streams.start(port);
  }

  async stop(graceMilliseconds: number): Promise<void> {
    for (const call of this.#calls) call.endStream();
    await this.#streams.stop(graceMilliseconds);
    this.#rpc.close();
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #take(connection: Connection): void {
    sniff(connection, {
      bytes: PREFACE.length,
      timeout: PREFACE_TIMEOUT,
      choose: (head) => {
        if (PREFACE.subarray(0, head.length).equals(head))
          return head.length < PREFACE.length ? 'more' : (taken) => this.#rpc.take(taken);
        return (taken) => {
          if (HTTP1.test(head.toString('latin1')))
            endWithHttp(taken, 505, 'this is a gRPC server: it speaks HTTP/2 alone');
          else taken.destroy();
        };
      },
    });
  }

  #serve(call: RpcCall): void {
    const { index } = this.#context.mocks;
    const own = healthHandler(call.path, index) ?? reflectionHandler(call.path, index.registry);
    const method = own === undefined ? undefined : index.registry.method(call.path);
    // A mock that names the method has the say.
    if (own !== undefined && method !== undefined && !index.names(call.path)) {
      serveOwn(call, method, own);
      return;
    }
    const served = new Call(this.#context, call, (ended) => this.#calls.delete(ended));
    this.#calls.add(served);
    served.start();
  }
}

function isNetworkError(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return (
    code !== undefined && /^(E[A-Z]+|ERR_HTTP2_[A-Z0-9_]+|ERR_SSL_[A-Z0-9_]+|ERR_STREAM_[A-Z_]+)$/.test(code)
  );
}
