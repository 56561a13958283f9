import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, type StreamServer } from '@backlot/kit';
import { Hub } from './hub.js';
import { Session } from './session.js';
import type { MemcachedShape } from './shape.js';

/** Takes connections and answers what is sent on them. */
export class MemcachedServer implements Service {
  readonly #hub: Hub;
  readonly #streams: StreamServer;
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: Context<MemcachedShape>) {
    const { host, port, tls } = context.config;
    const hub = new Hub(context);
    this.#hub = hub;
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => {
        new Session(connection, hub);
      },
      onError: (error, where) => {
        // What clients do wrong in a handshake is theirs.
        if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
    hub.countConnections = () => this.#streams.connections;
  }

  async start(port: number): Promise<Listening> {
    const place = await this.#streams.start(port);
    this.#hub.port = place.port;
    return place;
  }

  stop(graceMilliseconds: number): Promise<void> {
    return this.#streams.stop(graceMilliseconds);
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }
}
