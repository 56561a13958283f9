import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, type Connection, type StreamServer } from '@backlot/kit';
import { DataPorts } from './data/data-ports.js';
import { FileTree } from './files/file-tree.js';
import { loadLibrary } from './library/ftp-library.js';
import type { Services } from './session/services.js';
import { Session } from './session/session.js';
import type { FtpShape } from './shape.js';

/** Takes control connections and gives each a session. */
export class FtpServer implements Service {
  readonly #streams: StreamServer;
  readonly #services: Services;
  readonly #sessions = new WeakMap<Connection, Session>();
  readonly #hasTls: boolean;
  #error: string | undefined;

  /** Loads what it needs, which takes a moment. */
  static async create(context: Context<FtpShape>): Promise<FtpServer> {
    const { users = [] } = context.config;
    const passwords = new Map(users.map(({ username, password }) => [username, password]));
    const library = await loadLibrary(
      (username, password) => passwords.size === 0 || passwords.get(username) === password,
    );
    return new FtpServer(context, library);
  }

  private constructor(context: Context<FtpShape>, library: Services['library']) {
    const { host, port, tls: settings } = context.config;
    const tls = settings === undefined || settings.enabled === false ? undefined : settings;
    this.#hasTls = tls !== undefined;
    const ports = new DataPorts(context, tls);
    const canUpgrade = tls?.mode === 'starttls';
    this.#services = { context, library, tree: new FileTree(context), ports, canUpgrade };
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined ? undefined : { ...tls, mode: tls.mode ?? 'implicit' },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => {
        this.#sessions.set(connection, new Session(connection, this.#services));
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

  async stop(graceMilliseconds: number): Promise<void> {
    await this.#streams.stop(graceMilliseconds);
    await this.#services.ports.stop();
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#hasTls };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }
}
