import { defineProtocol } from '@backlot/core/plugin';
import { INCIDENTS } from './incidents.js';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { explainEntry } from './message.js';
import { checkConfigured } from './broker/configured.js';
import { compileMock } from './matcher.js';
import { MockFinder } from './mock-index.js';
import { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { EXCHANGES, PUBLISH, QUEUES } from './sections/declaration.js';

/** AMQP 0-9-1: a broker in memory with RabbitMQ's extensions, and mocks that answer messages. */
export const amqp = defineProtocol({
  kind: 'amqp',
  meta: {
    title: 'AMQP',
    summary: 'An AMQP 0-9-1 broker in memory, as RabbitMQ is one, whose mocks answer published messages.',
    transport: 'stream',
    defaultPort: 5672,
    url: 'amqp://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: { fields: ['exchange', 'routing_key', 'queue', 'body', 'headers'] },
    examples: [
      {
        id: 'price',
        routing_key: 'rpc.price',
        response: { body: '{"price": 42}' },
      },
      {
        id: 'order',
        exchange: 'orders',
        routing_key: 'order.{region}.created',
        body: { contains: '"urgent"' },
        response: {
          exchange: 'orders',
          routing_key: 'order.{{request.params.region}}.confirmed',
          body: '{"id": "{{request.body.id}}"}',
          properties: { type: 'confirmation', headers: { source: 'mock' } },
        },
      },
      { id: 'audit', queue: 'audit' },
    ],
    compile: compileMock,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new MockFinder(),
    quietWhenUnmatched: true,
    patchTargets: { headers: ['/response/properties/headers'], body: ['/response/body'] },
    explain: explainEntry,
    explained: { fields: { routing_key: '/path', exchange: '/headers/exchange', queue: '/headers/queue' } },
  },
  fault: { schema: FaultSchema, default: { drop: true }, login: true, standing: ['blocked'] },
  capture: {
    schema: CaptureSchema,
    view: { as: 'messages', group: 'exchange', title: 'routing_key', source: 'body' },
  },
  data: { queues: QUEUES, exchanges: EXCHANGES },
  publish: PUBLISH,
  checkConfig: checkConfigured,
  incidents: INCIDENTS,
  command: COMMAND,
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  imports: {
    formats: { rabbitmq: 'RabbitMQ definitions' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  contracts: CONTRACTS,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createAmqpService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createAmqpService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createAmqpService(context, new Relay(context, upstream));
  },
});
