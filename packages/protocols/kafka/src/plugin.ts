import { checkAt, defineProtocol, invalid } from '@backlot/core/plugin';
import { INCIDENTS } from './incidents.js';
import { CONTRACTS } from './contract/declaration.js';
import { COMMAND } from './command-line.js';
import { problemOfTopicName } from './broker/topic-name.js';
import { checkAcls } from './configured-acls.js';
import { parseAdvertised } from './advertised.js';
import { GROUPS, PUBLISH, TOPICS } from './sections/declaration.js';
import { explainEntry } from './message.js';
import { compileKafka } from './matcher.js';
import { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { TopicIndex } from './mock-index.js';
import { parseErrorCode } from './wire/errors.js';

/** Kafka. */
export const kafka = defineProtocol({
  kind: 'kafka',
  meta: {
    title: 'Kafka',
    summary: 'A broker with topics, consumer groups and offsets, whose mocks fill topics and answer records.',
    transport: 'stream',
    defaultPort: 9092,
    furtherPorts: ['/schema_registry/port'],
    url: '{host}:{port}',
    urlVariable: 'KAFKA_BROKERS',
    tls: true,
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['topic', 'key', 'value', 'headers'],
      whole: (match) => ({ topic: '*', ...match }),
    },
    examples: [
      {
        id: 'users',
        topic: 'users',
        records: [
          { key: 'u1', value: '{"name":"Ann"}' },
          { key: 'u2', value: '{"name":"Bob"}', headers: { source: 'import' } },
        ],
      },
      {
        id: 'orders',
        topic: 'orders',
        value: { contains: '"pay"' },
        response: {
          topic: 'payments',
          key: '{{request.key}}',
          value: '{"order":{{request.body.id}},"status":"paid"}',
        },
      },
      {
        id: 'echo',
        topic: 're:^requests\\.',
        response: { topic: '{{request.topic}}.replies', value: '{{request.raw_body}}' },
      },
    ],
    compile: compileKafka,
    answer: { fields: ['response'], direct: 'response' },
    index: () => new TopicIndex(),
    quietWhenUnmatched: true,
    patchTargets: { headers: ['/response/headers'], body: ['/response/value'] },
    explain: explainEntry,
    explained: {
      fields: { topic: '/path', key: '/query/key', partition: '/query/partition', value: '/body' },
    },
  },
  fault: {
    schema: FaultSchema,
    default: { error_code: 'LEADER_NOT_AVAILABLE' },
    login: true,
    standing: ['fetch_error', 'heartbeat_error'],
    check(fault) {
      for (const name of ['error_code', 'fetch_error', 'heartbeat_error'] as const) {
        const code = fault[name];
        if (code !== undefined) checkAt(`/${name}`, () => parseErrorCode(code));
      }
    },
  },
  capture: { schema: CaptureSchema, view: { as: 'messages', group: 'topic', title: 'key', source: 'value' } },
  data: { topics: TOPICS, groups: GROUPS },
  publish: PUBLISH,
  checkConfig({ topics, acls, advertised_host: advertised }) {
    if (acls !== undefined) checkAcls(acls);
    if (advertised !== undefined) checkAt('/advertised_host', () => parseAdvertised(advertised));
    const names = new Set<string>();
    topics?.forEach(({ name }, index) =>
      checkAt(`/topics/${index}/name`, () => {
        const problem =
          problemOfTopicName(name) ?? (names.has(name) ? `topic "${name}" is there twice` : undefined);
        if (problem !== undefined) throw invalid(problem);
        names.add(name);
      }),
    );
  },
  incidents: INCIDENTS,
  command: COMMAND,
  recording: { modes: ['passthrough'] },
  contracts: CONTRACTS,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createKafkaService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createKafkaService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createKafkaService(context, new Relay(context, upstream));
  },
});
