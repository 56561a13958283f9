import { companionContext, createService, type ListenerService } from '@backlot/kit';
import type { Services } from '../session/services.js';
import { PopSession } from './session.js';

/** What the listener is called among those of the kind. */
export const POP3 = 'pop3';

/** Takes connections of POP3 clients, on a port of their own and with the TLS of the kind. */
export function createPopService(services: Services, port: number): ListenerService {
  return createService(companionContext(services.context, POP3, port), {
    stream: {
      onConnection: (connection) => new PopSession(connection, services),
      onEntered: (_connection, session: PopSession) => session.moveTo(services),
    },
  });
}
