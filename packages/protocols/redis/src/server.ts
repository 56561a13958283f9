import type { Context, Service } from '@backlot/core/plugin';
import { createService } from '@backlot/kit';
import { Client } from './client.js';
import { Hub } from './hub.js';
import { readSettings } from './settings.js';
import type { RedisShape } from './shape.js';

/** Takes connections and answers what is sent on them. */
export function createRedisService(context: Context<RedisShape>): Service {
  const hub = new Hub(context, readSettings(context.config));
  context.keep('data', hub.store);
  return createService(context, {
    stream: { onConnection: (connection) => new Client(connection, context, hub).start() },
    onStarted: ({ port }) => {
      hub.port = port;
    },
    onStopping: () => {
      // A client that waits for an element gets the answer of a time-out: what it waits for cannot come any more.
      for (const { wait } of hub.sessions.values()) wait?.end();
    },
  });
}
