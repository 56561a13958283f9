import type { Context, Service } from '@backlot/core/plugin';
import { activeTls, createService, Logins, type Connection } from '@backlot/kit';
import { MailStore } from './mail/mail-store.js';
import type { Services } from './session/services.js';
import { Session } from './session/session.js';
import type { ImapShape } from './shape.js';

/** Takes connections and gives each a session with the mailboxes. */
export function createImapService(context: Context<ImapShape>): Service {
  const sessions = new WeakMap<Connection, Session>();
  const services: Services = {
    context,
    store: new MailStore(context),
    hasStartTls: activeTls(context.config)?.mode === 'starttls',
    logins: new Logins(context.config.users),
  };
  return createService(context, {
    stream: {
      onConnection: (connection) => sessions.set(connection, new Session(connection, services)),
      onStopping: (connection) => sessions.get(connection)?.sayStopping(),
    },
  });
}
