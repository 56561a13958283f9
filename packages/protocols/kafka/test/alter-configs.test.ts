import { describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { ConfigResourceTypes } from 'kafkajs';
import { alterConfigs } from '../src/wire/apis/alter-configs.js';
import { createTopics } from '../src/wire/apis/create-topics.js';
import { describeConfigs } from '../src/wire/apis/describe-configs.js';
import { incrementalAlterConfigs } from '../src/wire/apis/incremental-alter-configs.js';
import { ERROR } from '../src/wire/errors.js';
import { afterThis, connectKafkaJs, RawClient, startHost } from './support.js';

const TOPIC = 2;
const topic = { resourceType: TOPIC, resourceName: 't' };

describe('AlterConfigs', () => {
  it('of kafkajs changes what it then describes', async () => {
    const admin = connectKafkaJs(await startHost({ topics: [{ name: 't' }] })).admin();
    await admin.connect();
    afterThis(() => admin.disconnect());
    const type = ConfigResourceTypes.TOPIC;
    const configEntries = [{ name: 'retention.ms', value: '1000' }];
    await admin.alterConfigs({ validateOnly: false, resources: [{ type, name: 't', configEntries }] });
    const resources = [{ type, name: 't', configNames: ['retention.ms'] }];
    const described = await admin.describeConfigs({ includeSynonyms: false, resources });
    expect(described.resources[0]?.configEntries).toMatchObject([
      { configName: 'retention.ms', configValue: '1000' },
    ]);
  });

  it('refuses what CreateTopics refuses as well', async () => {
    const client = await RawClient.connect((await startHost()).port);
    const create = async (value: string): Promise<number | undefined> => {
      const configs = [{ name: 'retention.ms', value }];
      const topics = [{ name: 'made', numPartitions: 1, replicationFactor: 1, configs }];
      return (await client.call(createTopics, 7, { topics })).topics[0]?.errorCode;
    };
    expect([await create('soon'), await create('5')]).toEqual([ERROR.INVALID_CONFIG, ERROR.NONE]);
  });

  it('puts what is given in place of everything; the incremental one changes single settings', async () => {
    const { port } = await startHost({ topics: [{ name: 't' }] });
    const client = await RawClient.connect(port);
    const given = async (): Promise<Record<string, string | null>> => {
      const { results } = await client.call(describeConfigs, 4, {
        resources: [{ ...topic, configurationKeys: null }],
      });
      const own = results[0]?.configs.filter(({ configSource }) => configSource === 1) ?? [];
      return Object.fromEntries(own.map(({ name, value }) => [name, value]));
    };
    const set = async (configs: object, validateOnly = false): Promise<number | undefined> => {
      const list = Object.entries(configs).map(([name, value]) => ({ name, value: value as string | null }));
      const asked = { resources: [{ ...topic, configs: list }], validateOnly };
      return (await client.call(alterConfigs, 2, asked)).responses[0]?.errorCode;
    };
    const change = async (name: string, configOperation: number, value: string | null) => {
      const asked = { resources: [{ ...topic, configs: [{ name, configOperation, value }] }] };
      return (await client.call(incrementalAlterConfigs, 1, asked)).responses[0]?.errorCode;
    };
    expect(await set({ 'retention.ms': '5', preallocate: 'true' })).toBe(ERROR.NONE);
    expect(await set({ 'retention.ms': '6' })).toBe(ERROR.NONE);
    expect(await set({ 'retention.ms': '7' }, true)).toBe(ERROR.NONE);
    expect(await given()).toEqual({ 'retention.ms': '6' });
    expect(await change('cleanup.policy', 2, 'compact')).toBe(ERROR.NONE);
    expect(await given()).toEqual({ 'retention.ms': '6', 'cleanup.policy': 'delete,compact' });
    expect(await change('cleanup.policy', 3, 'delete')).toBe(ERROR.NONE);
    expect(await change('retention.ms', 1, null)).toBe(ERROR.NONE);
    expect(await given()).toEqual({ 'cleanup.policy': 'compact' });
    const refused = [
      await set({ 'retention.ms': 'soon' }),
      await set({ 'max.message.bytes': '3000000000' }),
      await set({ 'no.such': '1' }),
      await set({ 'retention.ms': null }),
      await change('retention.ms', 2, '1'),
      await change('cleanup.policy', 0, 'shred'),
      await change('no.such', 1, null),
    ];
    expect(new Set(refused)).toEqual(new Set([ERROR.INVALID_CONFIG]));
    expect(await change('cleanup.policy', 9, 'delete')).toBe(ERROR.INVALID_REQUEST);
    expect(await given()).toEqual({ 'cleanup.policy': 'compact' });
    const wanted = [
      { resourceType: 4, resourceName: '1' },
      { resourceType: TOPIC, resourceName: 'none' },
      topic,
      topic,
    ];
    const { responses } = await client.call(alterConfigs, 1, { resources: wanted });
    expect(responses.map(({ errorCode }) => errorCode)).toEqual([
      ERROR.INVALID_REQUEST,
      ERROR.UNKNOWN_TOPIC_OR_PARTITION,
      ERROR.NONE,
      ERROR.INVALID_REQUEST,
    ]);
  });
});

const PYTHON = `
import sys
from confluent_kafka.admin import AdminClient, ConfigResource
admin = AdminClient({'bootstrap.servers': sys.argv[1]})
def resource(**config): return ConfigResource(ConfigResource.Type.TOPIC, 't', set_config=config)
for future in admin.alter_configs([resource(**{'retention.ms': '1234'})]).values(): future.result(10)
for future in admin.describe_configs([resource()]).values(): print(future.result(10)['retention.ms'].value)
for future in admin.alter_configs([resource(**{'retention.ms': 'soon'})]).values():
    try: future.result(10)
    except Exception as error: print(error.args[0].name())
`;

describe('confluent-kafka (librdkafka)', () => {
  itWithTool('/usr/bin/python3 python3:confluent_kafka', 'changes settings of a topic', async () => {
    const running = await startHost({ topics: [{ name: 't' }] });
    const { code, out, err } = await runTool('/usr/bin/python3', ['-c', PYTHON, running.address]);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out.trim().split('\n')).toEqual(['1234', 'INVALID_CONFIG']);
  });
});
