import type { Context, Service } from '@backlot/core/plugin';
import { createService } from '@backlot/kit';
import { Hub } from './hub.js';
import { Session } from './session.js';
import type { MemcachedShape } from './shape.js';

/** Takes connections and answers what is sent on them. */
export function createMemcachedService(context: Context<MemcachedShape>): Service {
  const hub = new Hub(context);
  const service = createService(context, {
    stream: {
      onConnection: (connection) => {
        new Session(connection, hub);
      },
    },
    onStarted: ({ port }) => {
      hub.port = port;
    },
  });
  hub.countConnections = () => service.connections;
  return service;
}
