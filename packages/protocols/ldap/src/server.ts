import type { Context, Service } from '@backlot/core/plugin';
import { activeTls, createService, isReplay, secureOrServe, type Connection } from '@backlot/kit';
import { Directory } from './data/directory.js';
import { packEntries, unpackEntries } from './data/packed-entries.js';
import { KnownNames } from './known-names.js';
import { HeldEntries } from './operations/paging.js';
import { EntrySection } from './sections/entries.js';
import { Session, startTls, type Services } from './session.js';
import { RESULT } from './result-codes.js';
import { makeConfiguredEntries, suffixOf } from './settings.js';
import type { LdapShape } from './shape.js';
import { Users } from './users.js';
import { encodeNotice } from './wire/encode.js';

/** Who takes connections where there is an upstream. */
export interface Relaying {
  /** @param begin - begins TLS, where that can be */
  take(connection: Connection, services: Services, begin: typeof startTls | undefined): void;
  /** A reset has removed the mocks. */
  reset(): void;
}

/**
 * Takes connections of LDAP clients.
 *
 * @param relay - takes connections in its place, where there is an upstream whose answers are read
 */
export function createLdapService(context: Context<LdapShape>, relay?: Relaying): Service {
  const { config, clock } = context;
  const tls = activeTls(config);
  // Where the configuration does not say, TLS may begin with the first byte as well as by StartTLS.
  const isEither = tls !== undefined && tls.mode === undefined;
  let made = 0;
  const stamps = {
    now: () => formatTime(clock.now()),
    newUuid: () => context.random('entry', (made += 1)).uuid(),
  };
  const directory = new Directory(suffixOf(config));
  directory.restore(makeConfiguredEntries(config, stamps));
  context.addToSnapshots('entries', {
    passes: { pack: packEntries, unpack: unpackEntries },
    save: () => directory.save(),
    restore: (entries) => directory.restore(entries),
  });
  const services: Services = {
    directory,
    known: new KnownNames(context.mocks),
    users: new Users(config.users, directory, (why) => context.log.warn(why)),
    held: new HeldEntries(),
    stamps,
    offersTls: isEither || tls?.mode === 'starttls',
    isReplay: isReplay(config),
  };
  const serve = (connection: Connection): void => {
    if (relay === undefined) new Session(connection, context, services);
    else relay.take(connection, services, services.offersTls ? startTls : undefined);
  };
  return createService(context, {
    data: { entries: new EntrySection(directory, stamps) },
    ...(relay && { reset: () => relay.reset() }),
    stream: {
      tlsMode: 'starttls',
      onGoodbye: (connection) =>
        connection.write(encodeNotice(RESULT.unavailable, 'the connection is closed')),
      ...(relay === undefined && {
        onEntered: (_connection: Connection, session: Session) => session.moveTo(context, services),
      }),
      onConnection: isEither ? (connection) => secureOrServe(connection, serve) : serve,
    },
  });
}

/** Generalized time (RFC 4517, section 3.3.13). */
function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
}
