import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import {
  admitBy,
  createStreamServer,
  type Connection,
  type StreamServer,
  type StreamTls,
} from '@backlot/kit';
import type { SMTPServer } from 'smtp-server';
import { makeAuthentication } from './auth.js';
import { DEFAULT_DOMAIN, DEFAULT_MAX_MESSAGE_BYTES } from './schemas.js';
import type { SmtpShape } from './shape.js';
import { Transactions } from './transactions.js';
import { MailSession } from './wire/mail-session.js';
import { makeServer } from './wire/make-server.js';

type Config = Context<SmtpShape>['config'];

/** Takes connections and gives each a session of the library. */
export class SmtpService implements Service {
  readonly #context: Context<SmtpShape>;
  readonly #streams: StreamServer;
  readonly #library: SMTPServer;
  readonly #sessions = new WeakMap<Connection, MailSession>();
  readonly #transactions = new WeakMap<object, Transactions>();
  #error: string | undefined;

  constructor(context: Context<SmtpShape>) {
    this.#context = context;
    const { config } = context;
    this.#library = makeServer({
      domain: config.domain ?? DEFAULT_DOMAIN,
      maxMessageBytes: config.max_message_bytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      authentication: makeAuthentication(config),
      startTls: hasTls(config) ? 'offered' : config.tls === undefined ? 'silent' : 'absent',
      transactionsOf: (session) => this.#transactionsOf(session),
    });
    this.#streams = createStreamServer({
      host: config.host,
      port: config.port,
      tls: streamTls(config),
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#serve(connection, false),
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
    const status = { connections: this.#streams.connections, tls: hasTls(this.#context.config) };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #serve(connection: Connection, isGreeted: boolean): void {
    const library = this.#library;
    // Half-open: a client that has sent all it has to say, and says so, still gets its replies.
    connection.handOver(
      () => {
        const transactions = new Transactions(connection, this.#context);
        const startOver = (): void => this.#serve(connection, true);
        const session = new MailSession(library, connection, transactions, { isGreeted, startOver });
        this.#transactions.set(session.session, transactions);
        this.#sessions.set(connection, session);
        library.connections.add(session);
        session.init();
      },
      { halfOpen: true },
    );
  }

  #transactionsOf(session: object): Transactions {
    const transactions = this.#transactions.get(session);
    if (transactions === undefined) throw new Error('a session of the library is not one of this server');
    return transactions;
  }
}

function hasTls({ tls }: Config): boolean {
  return tls !== undefined && tls.enabled !== false;
}

/**
 * Without `tls` STARTTLS is understood but not offered: most clients take the offer whenever they see it, and then refuse
 * a certificate that nobody signed.
 */
function streamTls({ tls }: Config): StreamTls | undefined {
  if (tls?.enabled === false) return undefined;
  const { cert_file: certFile, key_file: keyFile, mode = 'starttls' } = tls ?? {};
  const isLazy = mode === 'starttls' && certFile === undefined && keyFile === undefined;
  return { ...tls, mode, ...(isLazy ? { self_signed: true } : {}) };
}
