import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, sniff, type Connection, type StreamServer } from '@backlot/kit';
import { Directory } from './data/directory.js';
import { KnownNames } from './known-names.js';
import { HeldEntries } from './operations/paging.js';
import { Session, type Services } from './session.js';
import { makeConfiguredEntries, suffixOf } from './settings.js';
import type { LdapShape } from './shape.js';
import { Users } from './users.js';

/** The first byte of a TLS record with a handshake (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;

/** How TLS is had; `either`: from the first byte for those who begin with it, and by StartTLS for the others. */
type TlsMode = 'implicit' | 'starttls' | 'either';

/** Takes connections of LDAP clients. */
export class LdapServer implements Service {
  readonly #context: Context<LdapShape>;
  readonly #streams: StreamServer;
  readonly #services: Services;
  /** `undefined`: there is no TLS. */
  readonly #mode: TlsMode | undefined;
  #error: string | undefined;

  constructor(context: Context<LdapShape>) {
    const { config, log, clock } = context;
    const { host, port, tls } = config;
    this.#context = context;
    this.#mode = tls === undefined || tls.enabled === false ? undefined : (tls.mode ?? 'either');
    let made = 0;
    const stamps = {
      now: () => formatTime(clock.now()),
      newUuid: () => context.random('entry', (made += 1)).uuid(),
    };
    const directory = new Directory(suffixOf(config));
    directory.restore(makeConfiguredEntries(config, stamps));
    context.keep('entries', {
      save: () => directory.save(),
      restore: (entries) => directory.restore(entries),
    });
    const offersTls = this.#mode === 'starttls' || this.#mode === 'either';
    const known = new KnownNames(context.mocks);
    this.#services = {
      directory,
      known,
      users: new Users(config.users),
      held: new HeldEntries(),
      stamps,
      offersTls,
    };
    this.#streams = createStreamServer({
      host,
      port,
      tls:
        this.#mode === undefined
          ? undefined
          : { ...tls, mode: this.#mode === 'implicit' ? 'implicit' : 'starttls' },
      admit: admitBy(context.faults, clock),
      onConnection: (connection) => this.#greet(connection),
      onError: (error, where) => {
        // What clients do wrong in a handshake is theirs.
        if (where !== 'tls') log.error(`a connection failed (${where})`, error);
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
    const status = { connections: this.#streams.connections, tls: this.#mode !== undefined };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #greet(connection: Connection): void {
    if (this.#mode !== 'either') this.#serve(connection);
    else {
      sniff(connection, {
        bytes: 1,
        choose: (head) => (head[0] === TLS_HANDSHAKE ? this.#secure : this.#serve),
        onSilence: this.#serve,
      });
    }
  }

  readonly #serve = (connection: Connection): void => {
    new Session(connection, this.#context, this.#services);
  };

  readonly #secure = (connection: Connection): void => {
    connection.startTls().then(
      () => this.#serve(connection),
      () => undefined,
    );
  };
}

/** Generalized time (RFC 4517, section 3.3.13). */
function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
}
