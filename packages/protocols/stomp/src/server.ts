import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, type Connection, type StreamServer } from '@backlot/kit';
import { Broker } from './broker/broker.js';
import { MAX_MESSAGE_BYTES } from './schemas.js';
import { Intake } from './session/intake.js';
import { Session } from './session/session.js';
import type { StompShape } from './shape.js';
import { MAX_UNREAD } from './transport/transport.js';
import { WebSocketDoor } from './transport/web-socket-door.js';

/** The headers that a WebSocket message may have on top of a body. */
const HEAD_BYTES = 64 * 1024;

/** Takes connections and gives each a session with the broker. */
export class StompServer implements Service {
  readonly #streams: StreamServer;
  readonly #door: WebSocketDoor;
  readonly #sessions = new WeakMap<Connection, Session>();
  readonly #isEncrypted: boolean;
  #error: string | undefined;

  constructor(context: Context<StompShape>) {
    const { host, port, tls, max_message_bytes: maxMessage = MAX_MESSAGE_BYTES } = context.config;
    const broker = new Broker(
      (queue) =>
        context.log.warn(`queues hold too much, so the oldest messages are dropped, beginning with ${queue}`),
      (error) => context.log.error('work of the broker failed', error),
    );
    context.keep('queues', { save: () => broker.save(), restore: (saved) => broker.restore(saved) });
    const services = { context, broker, intake: new Intake(context, broker) };
    this.#door = new WebSocketDoor(maxMessage + HEAD_BYTES, (transport) => {
      this.#sessions.set(transport.connection, new Session(transport, services));
    });
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      limits: { maxBuffered: MAX_UNREAD },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#door.take(connection),
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

  async start(port: number): Promise<Listening> {
    const listening = await this.#streams.start(port);
    this.#door.start();
    return listening;
  }

  async stop(graceMilliseconds: number): Promise<void> {
    this.#door.stop();
    await this.#streams.stop(graceMilliseconds);
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }
}
