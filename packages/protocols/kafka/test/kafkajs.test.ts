import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { CompressionTypes, ConfigResourceTypes, type Message } from 'kafkajs';
import { connectKafkaJs, startConsumer, startHost, startProducer } from './support.js';

const text = (value: unknown): string => String(value);

describe('a producer of kafkajs', () => {
  it.each([
    ['acks 0', 0, CompressionTypes.None],
    ['acks 1', 1, CompressionTypes.None],
    ['acks all, compressed with gzip', -1, CompressionTypes.GZIP],
  ])('with %s has keys, headers and values stored as they are', async (_name, acks, compression) => {
    const running = await startHost();
    const client = connectKafkaJs(running);
    const producer = await startProducer(client);
    const messages: Message[] = [
      { key: 'k1', value: 'first', headers: { trace: 'abc', many: ['1', '2'] } },
      { key: Buffer.from([0, 255]), value: Buffer.from([1, 254]) },
      { value: null },
    ];
    await producer.send({ topic: 'in', acks, compression, messages });
    const { messages: read } = await startConsumer(client, 'readers', ['in']);
    await eventually(() => read.length === 3);
    expect(read.map(({ key, value, offset }) => [key, value, offset])).toEqual([
      [Buffer.from('k1'), Buffer.from('first'), '0'],
      [Buffer.from([0, 255]), Buffer.from([1, 254]), '1'],
      [null, null, '2'],
    ]);
    expect(text(read[0]?.headers?.['trace'])).toBe('abc');
    const captured: unknown = JSON.parse(JSON.stringify(running.host.kind('kafka').captures?.values()));
    expect(captured).toMatchObject([
      {
        topic: 'in',
        partition: 0,
        offset: 0,
        key: 'k1',
        value: 'first',
        headers: { trace: 'abc', many: ['1', '2'] },
      },
      {
        offset: 1,
        key: 'AP8=',
        key_encoding: 'base64',
        value: 'Af4=',
        value_encoding: 'base64',
        headers: {},
      },
      { offset: 2, key: null, value: null },
    ]);
  });

  it('that is idempotent goes on over many batches', async () => {
    const running = await startHost();
    const client = connectKafkaJs(running, { retry: { retries: 1, initialRetryTime: 10 } });
    const producer = await startProducer(client, { idempotent: true });
    for (const value of ['a', 'b', 'c']) {
      const [sent] = await producer.send({ topic: 'in', messages: [{ value }] });
      expect(sent?.errorCode).toBe(0);
    }
  });

  it('gets an error by name while a fault is set', async () => {
    const running = await startHost();
    const client = connectKafkaJs(running, { retry: { retries: 0 } });
    const producer = await startProducer(client);
    await producer.send({ topic: 'in', messages: [{ value: 'before' }] });
    running.host.faults.set('kafka', { error_code: 'topic_authorization_failed' });
    const refused = producer.send({ topic: 'in', messages: [{ value: 'a' }, { value: 'b' }] });
    await expect(refused).rejects.toMatchObject({ type: 'TOPIC_AUTHORIZATION_FAILED' });
    running.host.faults.clear('kafka');
    const [sent] = await producer.send({ topic: 'in', messages: [{ value: 'after' }] });
    expect(sent?.baseOffset).toBe('1');
    expect(running.host.journal.list().map((entry) => [entry['status'], entry['fault']])).toEqual([
      ['NONE', undefined],
      ['TOPIC_AUTHORIZATION_FAILED', true],
      ['TOPIC_AUTHORIZATION_FAILED', true],
      ['NONE', undefined],
    ]);
  });
});

describe('a consumer of kafkajs', () => {
  it('goes on from what it has committed, and seeks', async () => {
    const running = await startHost({ mocks: [{ topic: 'log', records: [{ value: '0' }, { value: '1' }] }] });
    const client = connectKafkaJs(running);
    const first = await startConsumer(client, 'group', ['log']);
    await eventually(() => first.messages.length === 2);
    await first.consumer.disconnect();
    const producer = await startProducer(client);
    await producer.send({ topic: 'log', messages: [{ value: '2' }] });
    const second = await startConsumer(client, 'group', ['log']);
    await eventually(() => second.messages.length === 1);
    expect(second.messages.map(({ value }) => text(value))).toEqual(['2']);
    second.consumer.seek({ topic: 'log', partition: 0, offset: '1' });
    await producer.send({ topic: 'log', messages: [{ value: '3' }] });
    await eventually(() => second.messages.length === 4);
    expect(second.messages.map(({ value }) => text(value))).toEqual(['2', '1', '2', '3']);
  });

  it('shares partitions with two others, and takes over when one leaves', async () => {
    const running = await startHost({ topics: [{ name: 'work', partitions: 6 }] });
    const client = connectKafkaJs(running);
    const quick = { heartbeatInterval: 50, maxWaitTimeInMs: 50, rebalanceTimeout: 5000 };
    const readers = await Promise.all([1, 2, 3].map(() => startConsumer(client, 'team', ['work'], quick)));
    const admin = client.admin();
    await admin.connect();
    const settled = async (count: number): Promise<void> => {
      for (;;) {
        const { groups } = await admin.describeGroups(['team']);
        const members = groups[0]?.members ?? [];
        if (groups[0]?.state === 'Stable' && members.length === count) return;
      }
    };
    await settled(3);
    const producer = await startProducer(client);
    const send = (round: number): Promise<unknown> =>
      producer.send({
        topic: 'work',
        messages: [0, 1, 2, 3, 4, 5].map((partition) => ({ partition, value: `${round}/${partition}` })),
      });
    await send(1);
    const total = (): number => readers.reduce((sum, { messages }) => sum + messages.length, 0);
    await eventually(() => total() === 6);
    expect(readers.map(({ messages }) => messages.length)).toEqual([2, 2, 2]);
    await readers[1]?.consumer.disconnect();
    await settled(2);
    await send(2);
    await eventually(() => total() === 12);
    expect(readers.map(({ messages }) => messages.length)).toEqual([5, 2, 5]);
    await admin.disconnect();
  }, 20_000);

  it('waits for records without asking over and over', async () => {
    const running = await startHost({ topics: [{ name: 'quiet' }] });
    const client = connectKafkaJs(running);
    const { consumer, messages } = await startConsumer(client, 'patient', ['quiet'], {
      maxWaitTimeInMs: 300,
    });
    const waits: number[] = [];
    consumer.on('consumer.fetch', ({ payload }) => waits.push(payload.duration));
    await eventually(() => waits.length >= 2);
    // Whoever has nothing to give lets its client wait as long as was asked for, but for what the clocks differ.
    expect(Math.min(...waits)).toBeGreaterThan(280);
    expect(messages).toEqual([]);
    const producer = await startProducer(client);
    await producer.send({ topic: 'quiet', messages: [{ value: 'now' }] });
    await eventually(() => messages.length === 1);
  });
});

describe('the admin client of kafkajs', () => {
  it('creates, describes, grows and deletes topics', async () => {
    const running = await startHost();
    const admin = connectKafkaJs(running, { retry: { retries: 0 } }).admin();
    await admin.connect();
    const topics = [
      { topic: 'made', numPartitions: 2, configEntries: [{ name: 'retention.ms', value: '1000' }] },
    ];
    expect(await admin.createTopics({ topics })).toBe(true);
    expect(await admin.createTopics({ topics })).toBe(false);
    expect(await admin.listTopics()).toEqual(['made']);
    await admin.createPartitions({ topicPartitions: [{ topic: 'made', count: 5 }] });
    const { topics: described } = await admin.fetchTopicMetadata({ topics: ['made'] });
    expect(described[0]?.partitions.map(({ partitionId }) => partitionId).sort()).toEqual([0, 1, 2, 3, 4]);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        { type: ConfigResourceTypes.TOPIC, name: 'made', configNames: ['retention.ms', 'cleanup.policy'] },
      ],
    });
    expect(
      resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
    ).toEqual([
      ['cleanup.policy', 'delete'],
      ['retention.ms', '1000'],
    ]);
    await admin.deleteTopics({ topics: ['made'] });
    expect(await admin.listTopics()).toEqual([]);
    await expect(admin.deleteTopics({ topics: ['made'] })).rejects.toThrow(/does not host/);
    await admin.disconnect();
  });

  it('lists, describes and deletes groups, and reads and sets their offsets', async () => {
    const running = await startHost({ mocks: [{ topic: 'log', records: [{ value: 'a' }, { value: 'b' }] }] });
    const client = connectKafkaJs(running);
    const admin = connectKafkaJs(running, { retry: { retries: 0 } }).admin();
    await admin.connect();
    const reading = await startConsumer(client, 'readers', ['log'], { maxWaitTimeInMs: 100 });
    await eventually(() => reading.messages.length === 2);
    expect((await admin.listGroups()).groups).toEqual([{ groupId: 'readers', protocolType: 'consumer' }]);
    await expect(admin.deleteGroups(['readers'])).rejects.toMatchObject({
      groups: [{ groupId: 'readers', errorCode: 68 }],
    });
    await reading.consumer.disconnect();
    const offsets = await admin.fetchOffsets({ groupId: 'readers', topics: ['log'] });
    expect(offsets).toEqual([{ topic: 'log', partitions: [{ partition: 0, offset: '2', metadata: null }] }]);
    await admin.setOffsets({ groupId: 'readers', topic: 'log', partitions: [{ partition: 0, offset: '1' }] });
    const again = await startConsumer(client, 'readers', ['log'], { maxWaitTimeInMs: 100 });
    await eventually(() => again.messages.length === 1);
    expect(text(again.messages[0]?.value)).toBe('b');
    await again.consumer.disconnect();
    expect(await admin.deleteGroups(['readers'])).toEqual([{ groupId: 'readers', errorCode: 0 }]);
    expect((await admin.listGroups()).groups).toEqual([]);
    const ends = await admin.fetchTopicOffsets('log');
    expect(ends).toMatchObject([{ partition: 0, offset: '2', low: '0', high: '2' }]);
    await admin.deleteTopicRecords({ topic: 'log', partitions: [{ partition: 0, offset: '1' }] });
    expect(await admin.fetchTopicOffsets('log')).toMatchObject([{ low: '1', high: '2' }]);
    await admin.disconnect();
  });
});

describe('a login of kafkajs', () => {
  it('with PLAIN passes whoever it is', async () => {
    const running = await startHost();
    const client = connectKafkaJs(running, {
      sasl: { mechanism: 'plain', username: 'any', password: 'body' },
    });
    const producer = await startProducer(client);
    const [sent] = await producer.send({ topic: 'in', messages: [{ value: 'a' }] });
    expect(sent?.errorCode).toBe(0);
  });
});

describe('a reset', () => {
  it('empties topics and groups while clients stay connected, and puts configured records back', async () => {
    const running = await startHost({ mocks: [{ topic: 'log', records: [{ value: 'configured' }] }] });
    const { host } = running;
    const client = connectKafkaJs(running);
    const producer = await startProducer(client);
    const quick = { heartbeatInterval: 50, maxWaitTimeInMs: 100, retry: { initialRetryTime: 20 } };
    const { messages } = await startConsumer(client, 'group', ['log'], quick);
    await producer.send({ topic: 'log', messages: [{ value: 'produced' }] });
    await eventually(() => messages.length === 2);
    const connections = host.kind('kafka').status()['connections'];
    host.reset();
    expect(host.kind('kafka').status()['connections']).toBe(connections);
    expect(host.kind('kafka').captures?.values()).toEqual([]);
    const [sent] = await producer.send({ topic: 'log', messages: [{ value: 'later' }] });
    expect(sent?.baseOffset).toBe('1');
    await eventually(() => messages.length >= 4);
    expect(messages.map(({ value }) => text(value))).toEqual([
      'configured',
      'produced',
      'configured',
      'later',
    ]);
  }, 20_000);
});
