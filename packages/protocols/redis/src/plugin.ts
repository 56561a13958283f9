import { defineProtocol } from '@backlot/core/plugin';
import { CommandIndex } from './mock-index.js';
import { compileMock } from './matcher.js';
import { explainEntry } from './message.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** Redis: scripted answers to commands, and in mode `stateful` the data behind them. */
export const redis = defineProtocol({
  kind: 'redis',
  meta: {
    title: 'Redis',
    summary:
      'A Redis server (RESP2 and RESP3) with mocks for commands, and with data of its own in mode `stateful`.',
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
    index: () => new CommandIndex(),
    patchTargets: { body: ['/response/value'] },
    explain: explainEntry,
  },
  fault: { schema: FaultSchema, default: { error: 'ERR fault injected' } },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createRedisService } = await import('./server.js');
    return createRedisService(context);
  },
});
