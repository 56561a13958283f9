import { defineProtocol, readWords } from '@backlot/core/plugin';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { DestinationIndex } from './mock-index.js';
import { compileStomp } from './matcher.js';
import { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { PUBLISH, QUEUES } from './sections/declaration.js';
import { explainEntry } from './message.js';

/** STOMP 1.0 to 1.2, over TCP and WebSocket. */
export const stomp = defineProtocol({
  kind: 'stomp',
  meta: {
    title: 'STOMP',
    summary: 'A message broker for STOMP 1.0 to 1.2 over TCP and WebSocket, whose mocks publish answers.',
    transport: 'stream',
    defaultPort: 61613,
    url: 'stomp://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: { fields: ['command', 'destination', 'body', 'headers'] },
    examples: [
      {
        id: 'order',
        destination: '/queue/orders',
        response: {
          destination: '/topic/confirmations',
          body: '{"order": "{{request.body.id}}", "status": "accepted"}',
        },
      },
      {
        id: 'rpc',
        destination: '/queue/rpc.*',
        body: { contains: 'ping' },
        response: {
          body: 'pong',
          content_type: 'text/plain',
          headers: { 'correlation-id': '{{request.headers.correlation-id}}' },
        },
      },
      {
        id: 'prices',
        command: 'SUBSCRIBE',
        destination: '/topic/prices',
        messages: [{ json: { price: 100 } }, { json: { price: 101 }, delay: '1s' }],
      },
    ],
    compile: compileStomp,
    answer: { fields: ['response', 'messages'], direct: 'response' },
    index: () => new DestinationIndex(),
    quietWhenUnmatched: true,
    patchTargets: { headers: ['/response/headers'], body: ['/response/body'] },
    explain: explainEntry,
    explained: {
      fields: { destination: '/path' },
      line: {
        example: 'SEND /queue/rpc.add 1 2',
        read: readWords(['method', 'path', 'body'], ['SEND', 'SUBSCRIBE']),
      },
    },
  },
  fault: { schema: FaultSchema, default: { message: 'fault injected' }, login: true },
  capture: { schema: CaptureSchema, view: { as: 'messages', group: 'destination', source: 'body' } },
  data: { queues: QUEUES },
  publish: PUBLISH,
  command: COMMAND,
  contracts: CONTRACTS,
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createStompService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createStompService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createStompService(context, new Relay(context, upstream));
  },
});
