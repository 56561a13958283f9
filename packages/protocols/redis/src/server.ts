import type { Context } from '@backlot/core/plugin';
import { createService, type Connection, type ListenerService } from '@backlot/kit';
import { createUsers } from './acl/create-users.js';
import { UserSessions } from './acl/user-sessions.js';
import { RedisConnection, type Entering } from './connection.js';
import { DataSnapshots } from './data-snapshots.js';
import { Scripting } from './scripting/scripting.js';
import { putSeeds } from './seed-data.js';
import { ServerState } from './server-state.js';
import { readSettings } from './settings.js';
import { KeySection } from './sections/keys.js';
import { publish } from './sections/publish.js';
import type { RedisShape } from './shape.js';

/** Who takes connections where there is an upstream. */
export interface Relaying {
  take(connection: Connection): void;
  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void;
}

/**
 * Takes connections and answers what is sent on them.
 *
 * @param relay - takes connections in its place, where there is an upstream whose answers are read
 */
export function createRedisService(context: Context<RedisShape>, relay?: Relaying): ListenerService {
  const settings = readSettings(context.config);
  const users = createUsers(settings);
  const server = new ServerState(context, settings, users);
  users.listener = new UserSessions(server.sessions);
  const scripting = new Scripting(server);
  server.scripting = scripting;
  putSeeds(context.config, server.store, context.clock);
  context.addToSnapshots('data', new DataSnapshots(server.store, server.dataQueue));
  context.addToSnapshots('functions', scripting.functions);
  context.addToSnapshots('users', users);
  return createService(context, {
    data: { keys: new KeySection(server) },
    publish: ({ channel, message }) => publish(server, String(channel), String(message)),
    stream: {
      onConnection: (connection) => {
        if (relay === undefined) new RedisConnection(connection, context, server).start();
        else relay.take(connection);
      },
      ...(relay === undefined && {
        onEntered: (connection: Connection, client: Entering) =>
          new RedisConnection(connection, context, server).enter(client),
      }),
    },
    ...(relay && { reset: () => relay.reset() }),
    onStarted: ({ port }) => {
      server.port = port;
    },
    onStopping: () => {
      server.scripting?.stop('the server stops');
      // A client that waits for an element gets the answer of a time-out: what it waits for cannot come any more.
      for (const { wait } of server.sessions.values()) wait?.end();
    },
  });
}
