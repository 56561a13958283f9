import { defineProtocol, type Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { INCIDENTS } from './incidents.js';
import { COMMAND } from './command-line.js';
import { checkUsers } from './acl/check-users.js';
import { CommandIndex } from './mock-index.js';
import { compileMock } from './matcher.js';
import { explainEntry, readCommandLine } from './message.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { KEYS, PUBLISH } from './sections/declaration.js';
import { checkSeeds } from './seed-data.js';

/** Redis: mocks for commands, and the data behind them. */
export const redis = defineProtocol({
  kind: 'redis',
  meta: {
    title: 'Redis',
    summary: 'A Redis server (RESP2 and RESP3) with mocks for commands and data behind them.',
    transport: 'stream',
    defaultPort: 6379,
    url: 'redis://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['command', 'key', 'args', 'access'],
      whole: (match) => ({ command: '*', response: { type: 'nil' }, ...match }),
    },
    examples: [
      { id: 'greeting', command: 'GET', key: 'greeting', response: { type: 'bulk', value: 'hello' } },
      {
        id: 'user',
        command: 'HGETALL',
        key: 'user:*',
        response: { type: 'map', value: { key: '{{request.key}}', name: 'Ada', logins: 3 } },
      },
      {
        id: 'locked',
        command: 'SET',
        key: 'lock:*',
        args: ['*', { any_of: ['NX', 'nx'] }],
        response: { type: 'nil' },
      },
      {
        id: 'readonly',
        command: 'DEL',
        response: { type: 'error', value: "READONLY You can't write against a read only replica." },
      },
    ],
    compile: compileMock,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new CommandIndex(),
    patchTargets: { body: ['/response/value'] },
    explain: explainEntry,
    explained: {
      fields: { command: '/command', key: '/key', args: '/args', database: '/database' },
      draft: { command: '/method', key: '/path' },
      line: { example: 'GET user:7', read: readCommandLine },
    },
  },
  data: { keys: KEYS },
  publish: PUBLISH,
  fault: { schema: FaultSchema, default: { error: 'ERR fault injected' }, login: true },
  checkConfig(config) {
    checkSeeds(config);
    checkUsers(config);
  },
  incidents: INCIDENTS,
  imports: {
    formats: { rdb: 'Redis RDB', 'redis-commands': 'Redis commands (append-only file, redis-cli)' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  command: COMMAND,
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createRedisService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createRedisService(context);
    const { Relay } = await import('./upstream/relay.js');
    const { RelayedConnection } = await import('./upstream/connection.js');
    const relay = new Relay(context, upstream, (connection, node) => serve(connection, node));
    const serve = (connection: Connection, node: Upstream): void =>
      void new RelayedConnection(connection, context, relay, node);
    const service = createRedisService(context, {
      take: (connection) => serve(connection, upstream),
      reset: () => relay.desk.reset(),
    });
    return relay.beside(service);
  },
});
