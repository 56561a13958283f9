import { defineProtocol, invalid, readWords } from '@backlot/core/plugin';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { compileMqtt } from './matcher.js';
import { explainEntry } from './message.js';
import { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { PUBLISH, RETAINED, SESSIONS } from './sections/declaration.js';
import { TopicIndex } from './mock-index.js';

/** What a PUBACK and a PUBREC may say (MQTT 5, section 3.4.2.1). */
const REASON_CODES: readonly number[] = [0, 16, 128, 131, 135, 144, 145, 151, 153];

/** MQTT 3.1, 3.1.1 and 5. */
export const mqtt = defineProtocol({
  kind: 'mqtt',
  meta: {
    title: 'MQTT',
    summary: 'An MQTT broker, over TCP and WebSocket, whose mocks publish answers to what clients publish.',
    transport: 'stream',
    defaultPort: 1883,
    url: 'mqtt://{host}:{port}',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['topic', 'payload', 'user_properties', 'content_type', 'response_topic', 'correlation_data'],
      whole: (match) => ({ topic: '#', ...match }),
    },
    examples: [
      { id: 'ping', topic: 'ping', response: { topic: 'pong', payload: 'pong' } },
      {
        id: 'lamp',
        topic: 'lamps/{lamp}/set',
        payload: { any_of: ['on', 'off'] },
        response: {
          topic: 'lamps/{{request.params.lamp}}/state',
          payload: '{{request.payload}}',
          qos: 1,
          retain: true,
        },
      },
      {
        id: 'rpc',
        topic: 'rpc/{name}',
        content_type: 'application/json',
        response: {
          json: { name: '{{request.params.name}}', by: '{{request.user_properties.user}}' },
          content_type: 'application/json',
          user_properties: { status: '200' },
        },
      },
      { id: 'sensors', topic: 'sensors/+/#', response: { payload: '{"seen": "{{request.topic}}"}' } },
    ],
    compile: compileMqtt,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new TopicIndex(),
    quietWhenUnmatched: true,
    patchTargets: { body: ['/response/payload'] },
    explain: explainEntry,
    explained: {
      fields: { topic: '/path', payload: '/body' },
      line: {
        example: 'lamps/9/set dim',
        read: readWords(['method', 'path', 'body'], ['PUBLISH', 'SUBSCRIBE', 'CONNECT']),
      },
    },
  },
  fault: {
    schema: FaultSchema,
    default: { drop: true },
    login: true,
    check({ reason_code: code }) {
      if (code !== undefined && !REASON_CODES.includes(code)) {
        throw invalid(`no PUBACK can have the reason code ${code}; use one of ${REASON_CODES.join(', ')}`, [
          { path: '/reason_code', message: `must be one of ${REASON_CODES.join(', ')}` },
        ]);
      }
    },
  },
  capture: { schema: CaptureSchema, view: { as: 'messages', group: 'topic', source: 'payload' } },
  data: { retained: RETAINED, sessions: SESSIONS },
  publish: PUBLISH,
  command: COMMAND,
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  contracts: CONTRACTS,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createMqttService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createMqttService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createMqttService(context, new Relay(context, upstream));
  },
});
