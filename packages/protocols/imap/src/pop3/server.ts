import { createService, type ListenerService } from '@backlot/kit';
import type { Services } from '../session/services.js';
import { PopSession } from './session.js';

/** Takes connections of POP3 clients, on a port of their own and with the TLS of the kind. */
export function createPopService(services: Services, port: number): ListenerService {
  const { context } = services;
  const { config, clock, faults, log, ports } = context;
  const own = { config: { ...config, port }, clock, faults, log, ...(ports && { ports }) };
  return createService(own, {
    stream: {
      onConnection: (connection) => new PopSession(connection, services),
      onEntered: (_connection, session: PopSession) => session.moveTo(services),
    },
  });
}
