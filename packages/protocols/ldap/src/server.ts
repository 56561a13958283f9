import type { Context, Service } from '@backlot/core/plugin';
import { activeTls, createService, secureOrServe, type Connection } from '@backlot/kit';
import { Directory } from './data/directory.js';
import { KnownNames } from './known-names.js';
import { HeldEntries } from './operations/paging.js';
import { EntrySection } from './sections/entries.js';
import { Session, type Services } from './session.js';
import { RESULT } from './result-codes.js';
import { makeConfiguredEntries, suffixOf } from './settings.js';
import type { LdapShape } from './shape.js';
import { Users } from './users.js';
import { encodeNotice } from './wire/encode.js';

/** Takes connections of LDAP clients. */
export function createLdapService(context: Context<LdapShape>): Service {
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
  };
  const serve = (connection: Connection): void => {
    new Session(connection, context, services);
  };
  return createService(context, {
    data: { entries: new EntrySection(directory, stamps) },
    stream: {
      tlsMode: 'starttls',
      onGoodbye: (connection) =>
        connection.write(encodeNotice(RESULT.unavailable, 'the connection is closed')),
      onEntered: (_connection, session: Session) => session.moveTo(context, services),
      onConnection: isEither ? (connection) => secureOrServe(connection, serve) : serve,
    },
  });
}

/** Generalized time (RFC 4517, section 3.3.13). */
function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
}
