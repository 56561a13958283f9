import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, isFramingError, type StreamServer } from '@backlot/kit';
import { Conversation } from './conversation.js';
import type { __Kind__Shape } from './shape.js';

/** Takes connections and answers what is sent on them. */
export class __Kind__Server implements Service {
  readonly #streams: StreamServer;
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: Context<__Kind__Shape>) {
    const { host, port, tls } = context.config;
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => {
        new Conversation(connection, context);
      },
      onError: (error, where, connection) => {
        if (isFramingError(error)) {
          context.log.warn(`${connection?.remote ?? 'a client'}: ${messageOf(error)}`);
        }
        // What clients do wrong in a handshake is theirs.
        else if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  start(port: number): Promise<Listening> {
    return this.#streams.start(port);
  }

  stop(graceMilliseconds: number): Promise<void> {
    return this.#streams.stop(graceMilliseconds);
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }
}
