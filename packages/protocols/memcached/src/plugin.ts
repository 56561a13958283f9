import { checkAt, defineProtocol, invalid, readWords } from '@backlot/core/plugin';
import { COMMAND } from './command-line.js';
import { compileMock } from './matcher.js';
import { explainEntry } from './message.js';
import { KeyMocks } from './mock-index.js';
import { ITEMS } from './sections/declaration.js';
import { readItem } from './sections/items.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** Memcached: the text protocol with meta commands, and the binary protocol. */
export const memcached = defineProtocol({
  kind: 'memcached',
  meta: {
    title: 'Memcached',
    summary: 'A Memcached server in memory (text, meta and binary protocol) whose mocks win over its data.',
    transport: 'stream',
    defaultPort: 11211,
    url: 'memcached://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: { fields: ['command', 'key'] },
    examples: [
      { id: 'greeting', command: 'get', key: 'greeting', response: { value: 'Hello, Ada', flags: 1 } },
      {
        id: 'session',
        command: { any_of: ['get', 'gets', 'mg'] },
        key: 'session:*',
        response: { value: '{"key": "{{request.key}}"}' },
      },
      {
        id: 'full',
        command: 'set',
        key: 're:^big',
        response: { status: 'SERVER_ERROR out of memory storing object' },
      },
      { id: 'locked', command: 'add', key: 'lock', response: { status: 'NOT_STORED' } },
      { id: 'visits', command: 'incr', key: 'visits', response: { value: '42' } },
      { id: 'gone', key: 'gone', response: { status: 'NOT_FOUND' } },
    ],
    compile: compileMock,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new KeyMocks(),
    patchTargets: { status: ['/response/status'], body: ['/response/value'] },
    explain: explainEntry,
    explained: {
      fields: { command: '/method', key: '/path' },
      line: { example: 'get session:9', read: readWords(['method', 'path', 'body']) },
    },
  },
  data: { items: ITEMS },
  fault: { schema: FaultSchema, default: { error_type: 'SERVER_ERROR', message: 'fault injected' } },
  checkConfig(config) {
    for (const [index, item] of (config.items ?? []).entries())
      checkAt(`/items/${index}`, () => void readItem(item));
    if (config.mode !== 'mock') return;
    for (const field of ['max_memory', 'evictions', 'items'] as const) {
      if (config[field] === undefined) continue;
      checkAt(`/${field}`, () => {
        throw invalid(
          `${field} is about stored data, and mode "mock" stores none; leave it out or set mode to "stateful"`,
        );
      });
    }
  },
  command: COMMAND,
  imports: {
    formats: { memcached: 'memcached-tool dump' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createMemcachedService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createMemcachedService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createMemcachedService(context, new Relay(context, upstream));
  },
});
