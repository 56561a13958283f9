import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, type StreamServer } from '@backlot/kit';
import { Client } from './client.js';
import { Hub } from './hub.js';
import { readSettings } from './settings.js';
import type { RedisShape } from './shape.js';

/** Most bytes of answers that wait for a client that does not read; then it is cut. */
const MOST_UNREAD = 64 * 1024 * 1024;

/** Takes connections and answers what is sent on them. */
export class RedisServer implements Service {
  readonly #streams: StreamServer;
  readonly #hub: Hub;
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: Context<RedisShape>) {
    const { host, port, tls } = context.config;
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#hub = new Hub(context, readSettings(context.config));
    context.keep('data', this.#hub.store);
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      limits: { maxAnswers: MOST_UNREAD },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => new Client(connection, context, this.#hub).start(),
      onError: (error, where) => {
        // What clients do wrong in a handshake is theirs.
        if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  async start(port: number): Promise<Listening> {
    const listening = await this.#streams.start(port);
    this.#hub.port = listening.port;
    return listening;
  }

  stop(graceMilliseconds: number): Promise<void> {
    // Who waits for an element gets the answer of a time-out, so that nobody waits for what cannot come.
    for (const { wait } of this.#hub.sessions.values()) wait?.end();
    return this.#streams.stop(graceMilliseconds);
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }
}
