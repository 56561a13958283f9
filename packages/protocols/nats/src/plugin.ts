import { defineProtocol, readWords } from '@backlot/core/plugin';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { compileMock } from './matcher.js';
import { explainEntry } from './message.js';
import { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { CONSUMERS, PUBLISH, STREAMS } from './sections/declaration.js';
import { checkSettings } from './settings.js';
import { SubjectIndex } from './mock-index.js';

/** Core NATS. */
export const nats = defineProtocol({
  kind: 'nats',
  meta: {
    title: 'NATS',
    summary: 'A NATS server in memory whose mocks answer requests and publish messages.',
    transport: 'stream',
    defaultPort: 4222,
    url: 'nats://{host}:{port}',
    tls: 'starttls',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['subject', 'payload', 'headers'],
      whole: (match) => ({ subject: '>', ...match }),
    },
    examples: [
      { id: 'ping', subject: 'service.ping', response: { payload: 'pong' } },
      {
        id: 'user',
        subject: 'users.{id}.get',
        response: {
          payload: '{"id": "{{request.params.id}}", "name": "Ada"}',
          headers: { 'X-Mock': 'user' },
        },
      },
      {
        id: 'order',
        subject: 'orders.created',
        payload: { contains: '"express"' },
        response: { subject: 'orders.accepted', payload: '{"order": "{{request.body.id}}"}', delay: '50ms' },
      },
      {
        id: 'worker',
        subject: 'jobs.>',
        queue_group: 'workers',
        headers: { 'X-Priority': 're:^[1-3]$' },
        response: { payload: 'done: {{request.raw_body}}' },
      },
    ],
    compile: compileMock,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new SubjectIndex(),
    quietWhenUnmatched: true,
    patchTargets: { headers: ['/response/headers'], body: ['/response/payload'] },
    explain: explainEntry,
    explained: {
      fields: { subject: '/path', payload: '/body' },
      line: { example: 'users.7.get {"id": 7}', read: readWords(['method', 'path', 'body'], ['PUB', 'REQ']) },
    },
  },
  fault: { schema: FaultSchema, default: { drop: true }, login: true },
  capture: { schema: CaptureSchema, view: { as: 'messages', group: 'subject', source: 'payload' } },
  data: { streams: STREAMS, consumers: CONSUMERS },
  publish: PUBLISH,
  checkConfig: checkSettings,
  command: COMMAND,
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  contracts: CONTRACTS,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createNatsService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createNatsService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createNatsService(context, new Relay(context, upstream));
  },
});
