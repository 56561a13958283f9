import { describe, expect, it } from '@jest/globals';
import {
  Admin,
  Consumer,
  MessagesStreamModes,
  Producer,
  stringDeserializers,
  stringSerializers,
} from '@platformatic/kafka';
import { afterThis, startHost, type Running } from './support.js';

const settings = ({ address }: Running) => ({ clientId: 'tester', bootstrapBrokers: [address] });

describe('@platformatic/kafka', () => {
  it('produces, idempotently too, and consumes as a group', async () => {
    const running = await startHost({ topics: [{ name: 'in' }] });
    const producer = new Producer({ ...settings(running), serializers: stringSerializers });
    afterThis(() => producer.close());
    const messages = [
      { topic: 'in', key: 'k', value: 'one', headers: { trace: 'abc' } },
      { topic: 'in', key: 'k', value: 'two' },
    ];
    await producer.send({ messages });
    await producer.send({
      messages: [{ topic: 'in', key: 'k', value: 'three' }],
      idempotent: true,
      acks: -1,
    });
    await producer.send({ messages: [{ topic: 'in', key: 'k', value: 'four' }], compression: 'gzip' });
    const consumer = new Consumer({
      ...settings(running),
      groupId: 'readers',
      deserializers: stringDeserializers,
    });
    afterThis(() => consumer.close(true));
    const stream = await consumer.consume({
      topics: ['in'],
      mode: MessagesStreamModes.EARLIEST,
      autocommit: true,
    });
    const read: string[] = [];
    for await (const message of stream) {
      read.push(`${message.offset} ${message.key} ${message.value} ${message.headers.get('trace') ?? ''}`);
      if (read.length === 4) break;
    }
    expect(read).toEqual(['0 k one abc', '1 k two ', '2 k three ', '3 k four ']);
  });

  it('administers topics and groups', async () => {
    const running = await startHost();
    const admin = new Admin(settings(running));
    afterThis(() => admin.close());
    const [made] = await admin.createTopics({ topics: ['made'], partitions: 3, replicas: 1 });
    expect(made).toMatchObject({ name: 'made', partitions: 3, replicas: 1 });
    expect(await admin.listTopics()).toEqual(['made']);
    await admin.createPartitions({ topics: [{ name: 'made', count: 4, assignments: [] }] });
    const { topics } = await admin.metadata({ topics: ['made'] });
    expect(topics.get('made')?.partitionsCount).toBe(4);
    expect([...(await admin.listGroups()).values()]).toEqual([]);
    await admin.deleteTopics({ topics: ['made'] });
    expect(await admin.listTopics()).toEqual([]);
  });
});
