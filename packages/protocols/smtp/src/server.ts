import type { Context, Json, Service } from '@backlot/core/plugin';
import { activeTls, createService, enterSpace, type Connection, type StreamTls } from '@backlot/kit';
import type { SMTPServer } from 'smtp-server';
import { faultedAuthentication, makeAuthentication, type Authentication } from './auth.js';
import { Greylist } from './greylist.js';
import { emitMail } from './emit-mail.js';
import { DEFAULT_DOMAIN, DEFAULT_MAX_MESSAGE_BYTES } from './schemas.js';
import type { SmtpShape } from './shape.js';
import type { MailTransactions } from './mail-transactions.js';
import { Transactions } from './transactions.js';
import type { Relay } from './upstream/relay.js';
import { MailSession } from './wire/session.js';
import { makeServer } from './wire/make-server.js';

/**
 * Takes connections and gives each a session of the library.
 *
 * @param relay - takes their mails, where there is an upstream
 */
export function createSmtpService(context: Context<SmtpShape>, relay?: Relay): Service {
  const reception = new Reception(context, relay);
  const service = createService(context, {
    stream: {
      tls: streamTls(context.config),
      onConnection: (connection) => reception.serve(connection, false),
      onEntered: (connection, client: Entering) => reception.enter(connection, client),
      onStopping: (connection) => reception.sayGoodbye(connection),
    },
    ...(relay !== undefined && { reset: () => relay.reset() }),
  });
  return Object.assign(service, { emit: (message: Json) => emitMail(context, message) });
}

type CheckGiven = Parameters<Authentication['check']>;

/** A client that has come to the port of another world, at its login. */
interface Entering {
  readonly session: MailSession;
  readonly transactions: MailTransactions;
  readonly given: CheckGiven;
}

/** Connects the sessions of the library with the connections. */
class Reception {
  readonly #context: Context<SmtpShape>;
  readonly #greylist: Greylist;
  readonly #authentication: Authentication;
  readonly #library: SMTPServer;
  readonly #sessions = new WeakMap<Connection, MailSession>();
  readonly #transactions = new WeakMap<object, MailTransactions>();

  readonly #relay: Relay | undefined;

  constructor(context: Context<SmtpShape>, relay: Relay | undefined) {
    this.#context = context;
    this.#relay = relay;
    this.#greylist = new Greylist(context);
    const { config } = context;
    const authentication =
      relay === undefined
        ? makeAuthentication(config)
        : relay.authenticationBy((session) => this.#transactionsOf(session));
    this.#authentication = faultedAuthentication(authentication, context);
    const hasTls = activeTls(config) !== undefined;
    this.#library = makeServer({
      domain: config.domain ?? DEFAULT_DOMAIN,
      maxMessageBytes: config.max_message_bytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      authentication: { ...this.#authentication, check: (...given) => this.#logIn(...given) },
      startTls: hasTls ? 'offered' : config.tls === undefined ? 'silent' : 'absent',
      transactionsOf: (session) => this.#transactionsOf(session),
    });
  }

  sayGoodbye(connection: Connection): void {
    this.#sessions.get(connection)?.stop();
  }

  /** Serves a client that has come to the port of another world: its mails are received here from now on. */
  enter(connection: Connection, { session, transactions, given }: Entering): void {
    transactions.moveTo(this.#context, this.#greylist);
    this.#sessions.set(connection, session);
    this.#check(...given);
  }

  /** Hands a client over when its login names a space. */
  #logIn(...given: CheckGiven): void {
    const [{ username = '' }, of] = given;
    const door = this.#context.spaces.ofLogin(username);
    const transactions = this.#transactionsOf(of);
    const { connection } = transactions;
    const session = this.#sessions.get(connection);
    if (door === undefined || session === undefined) this.#check(...given);
    else
      void enterSpace(door, connection, { session, transactions, given } satisfies Entering, { stays: true });
  }

  #check(login: CheckGiven[0], ...rest: [CheckGiven[1], CheckGiven[2]]): void {
    const { username = '' } = login;
    const user = this.#context.spaces.userOf(username) ?? username;
    this.#authentication.check(user === username ? login : { ...login, username: user }, ...rest);
  }

  serve(connection: Connection, isGreeted: boolean): void {
    const library = this.#library;
    // Half-open: a client that has sent all it has to say, and says so, still gets its replies.
    connection.handOver(
      () => {
        const transactions =
          this.#relay?.transactionsOf(connection, this.#greylist) ??
          new Transactions(connection, this.#context, this.#greylist);
        const startOver = (): void => this.serve(connection, true);
        const session = new MailSession(library, connection, transactions, { isGreeted, startOver });
        this.#transactions.set(session.session, transactions);
        this.#sessions.set(connection, session);
        library.connections.add(session);
        session.init();
      },
      { halfOpen: true },
    );
  }

  #transactionsOf(session: object): MailTransactions {
    const transactions = this.#transactions.get(session);
    if (transactions === undefined) throw new Error('a session of the library is not one of this server');
    return transactions;
  }
}

/**
 * Without `tls` STARTTLS is understood but not offered: most clients take the offer whenever they see it, and then refuse
 * a certificate that nobody signed.
 */
function streamTls({ tls }: Context<SmtpShape>['config']): StreamTls | undefined {
  if (tls?.enabled === false) return undefined;
  const { cert_file: certFile, key_file: keyFile, mode = 'starttls' } = tls ?? {};
  const isLazy = mode === 'starttls' && certFile === undefined && keyFile === undefined;
  return { ...tls, mode, ...(isLazy ? { self_signed: true } : {}) };
}
