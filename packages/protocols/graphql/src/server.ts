import type { Listening, Service, ServiceStatus } from '@backlot/core/plugin';
import { admitBy, createStreamServer, HttpDoor, wire, type StreamServer } from '@backlot/kit';
import { DocumentCache } from './document/document-cache.js';
import { HttpHandler } from './http-handler.js';
import { readSettings, type Settings } from './settings.js';
import type { GraphqlContext } from './shape.js';
import { SocketDoor } from './socket/socket-door.js';

/** The GraphQL listener: HTTP and WebSocket on one path. */
export class GraphqlServer implements Service {
  readonly #settings: Settings;
  readonly #server: StreamServer;
  readonly #http: HttpDoor;
  readonly #sockets: SocketDoor;
  readonly #hasTls: boolean;
  #failure: Error | undefined;

  constructor(context: GraphqlContext) {
    const documents = new DocumentCache();
    this.#settings = readSettings(context.config);
    this.#sockets = new SocketDoor(context, this.#settings, documents);
    const handler = new HttpHandler(context, this.#settings, documents);
    this.#http = new HttpDoor({ onRequest: handler.handle, onUpgrade: this.#sockets.upgrade });
    const { host, port, tls } = context.config;
    this.#hasTls = tls !== undefined && tls.enabled !== false;
    this.#server = createStreamServer({
      host,
      port,
      ...(this.#hasTls ? { tls: { ...tls, mode: 'implicit' as const, alpnProtocols: ['http/1.1'] } } : {}),
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#http.take(connection),
      onStopping: (connection) => this.#sockets.goAway(connection),
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
    this.#http.start();
    return place;
  }

  async stop(graceMilliseconds: number): Promise<void> {
    this.#sockets.endSubscriptions();
    // What ends a subscription is written a little later, and must come before the goodbye.
    if (this.#sockets.count > 0) await new Promise<void>((resolve) => wire.after(1, resolve));
    await this.#server.stop(graceMilliseconds);
    this.#http.stop();
  }

  reset(): void {
    this.#sockets.endSubscriptions();
  }

  status(): ServiceStatus {
    return {
      connections: this.#server.connections,
      tls: this.#hasTls,
      extra: { path: this.#settings.path },
      ...(this.#failure === undefined ? {} : { error: this.#failure.message }),
    };
  }
}

function isNetworkError(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code !== undefined && /^(E[A-Z]+|ERR_SSL_[A-Z0-9_]+|ERR_STREAM_[A-Z_]+)$/.test(code);
}
