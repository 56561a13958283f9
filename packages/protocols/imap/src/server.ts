import { reachableHost, type Context, type Service } from '@backlot/core/plugin';
import {
  activeTls,
  createService,
  formatAddress,
  Logins,
  withCompanion,
  type Connection,
  type ListenerService,
} from '@backlot/kit';
import { MailStore } from './mail/mail-store.js';
import { MailboxSection } from './sections/mailboxes.js';
import { MessageSection } from './sections/messages.js';
import { publish } from './sections/publish.js';
import { createPopService, POP3 } from './pop3/server.js';
import type { Services } from './session/services.js';
import { Session } from './session/session.js';
import type { ImapShape } from './shape.js';

/** Takes connections and gives each a session with the mailboxes. */
export function createImapService(context: Context<ImapShape>): Service {
  const services: Services = {
    context,
    store: new MailStore(context),
    hasStartTls: activeTls(context.config)?.mode === 'starttls',
    logins: new Logins(context.config.users),
  };
  const service = createSessions(context, services);
  const { pop3_port: port } = context.config;
  if (port === undefined) return service;
  return withCompanion(service, {
    service: createPopService(services, port),
    port,
    name: POP3,
    url: ({ host, port: own }) => {
      const scheme = activeTls(context.config) !== undefined && !services.hasStartTls ? 'pop3s' : 'pop3';
      return `${scheme}://${formatAddress(reachableHost(host), own)}`;
    },
    describe: (place) => (place === undefined ? {} : { pop3_port: place.port }),
  });
}

function createSessions(context: Context<ImapShape>, services: Services): ListenerService {
  const sessions = new WeakMap<Connection, Session>();
  return createService(context, {
    data: {
      mailboxes: new MailboxSection(services.store),
      messages: new MessageSection(services.store),
    },
    publish: (message) => publish(services, message),
    stream: {
      onConnection: (connection) => sessions.set(connection, new Session(connection, services)),
      onEntered: (connection, session: Session) => {
        session.moveTo(services);
        sessions.set(connection, session);
      },
      onStopping: (connection) => sessions.get(connection)?.sayStopping(),
    },
  });
}
