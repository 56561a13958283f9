import type { Context, Service } from '@backlot/core/plugin';
import { createService } from '@backlot/kit';
import { ServerState } from './server-state.js';
import { MemcachedConnection } from './connection.js';
import { ItemSection, putItem, readItem } from './sections/items.js';
import type { MemcachedShape } from './shape.js';
import type { Relay } from './upstream/relay.js';

/**
 * Takes connections and answers what is sent on them.
 *
 * @param relay - asks the upstream, where there is one whose answers are read
 */
export function createMemcachedService(context: Context<MemcachedShape>, relay?: Relay): Service {
  const server = new ServerState(context);
  for (const item of context.config.items ?? []) putItem(server.store, readItem(item));
  const service = createService(context, {
    data: { items: new ItemSection(server) },
    stream: {
      onConnection: (connection) => {
        new MemcachedConnection(connection, server, relay);
      },
    },
    ...(relay && { reset: () => relay.desk.reset() }),
    onStarted: ({ port }) => {
      server.port = port;
    },
  });
  server.countConnections = () => service.connections;
  return service;
}
