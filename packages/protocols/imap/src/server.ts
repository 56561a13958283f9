import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, type Connection, type StreamServer } from '@backlot/kit';
import { MailStore } from './mail/mail-store.js';
import type { Services } from './session/services.js';
import { Session } from './session/session.js';
import type { ImapShape } from './shape.js';

/** Takes connections and gives each a session with the mailboxes. */
export class ImapServer implements Service {
  readonly #streams: StreamServer;
  readonly #sessions = new WeakMap<Connection, Session>();
  readonly #hasTls: boolean;
  #error: string | undefined;

  constructor(context: Context<ImapShape>) {
    const { host, port, tls } = context.config;
    const isOn = tls !== undefined && tls.enabled !== false;
    const services: Services = {
      context,
      store: new MailStore(context),
      hasStartTls: isOn && tls.mode === 'starttls',
    };
    this.#hasTls = isOn;
    this.#streams = createStreamServer({
      host,
      port,
      tls: isOn ? tls : undefined,
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#sessions.set(connection, new Session(connection, services)),
      onStopping: (connection) => this.#sessions.get(connection)?.sayStopping(),
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

  async stop(graceMilliseconds: number): Promise<void> {
    await this.#streams.stop(graceMilliseconds);
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#hasTls };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }
}
