import { messageOf, type Listening, type Service, type ServiceStatus } from '@backlot/core/plugin';
import { admitBy, createStreamServer, type Connection, type StreamServer } from '@backlot/kit';
import { Broker } from './broker/broker.js';
import { declareConfigured } from './broker/configured.js';
import { putBack, takePicture } from './broker/picture.js';
import { Session } from './session/session.js';
import type { AmqpContext } from './shape.js';

/** Bytes of answers that may wait for a client before nothing more is read of it. */
const HIGH_WATER = 1024 * 1024;

/** A broker and the connections to it. */
export class AmqpServer implements Service {
  readonly #streams: StreamServer;
  readonly #sessions = new WeakMap<Connection, Session>();
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: AmqpContext) {
    const { host, port, tls } = context.config;
    const broker = new Broker(context.clock, (error) =>
      context.log.error('work of the broker failed', error),
    );
    declareConfigured(broker, context.config);
    context.keep('broker', {
      save: () => takePicture(broker),
      restore: (picture) => putBack(broker, picture),
    });
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      limits: { highWater: HIGH_WATER },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => {
        this.#sessions.set(connection, new Session(connection, context, broker));
      },
      onStopping: (connection) => this.#sessions.get(connection)?.stop(),
      onError: (error, where) => {
        // What clients do wrong in a handshake is theirs.
        if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
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
