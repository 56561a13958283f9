import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { addPartitionsToTxn } from '../src/wire/apis/add-partitions-to-txn.js';
import { endTxn } from '../src/wire/apis/end-txn.js';
import { fetch } from '../src/wire/apis/fetch.js';
import { initProducerId } from '../src/wire/apis/init-producer-id.js';
import { listOffsets } from '../src/wire/apis/list-offsets.js';
import { produce } from '../src/wire/apis/produce.js';
import { ERROR } from '../src/wire/errors.js';
import {
  afterThis,
  batchOf,
  connectKafkaJs,
  RawClient,
  seal,
  startConsumer,
  startHost,
  startProducer,
} from './support.js';

const text = (value: Buffer | null | undefined): string | undefined => value?.toString('utf8');
const transactional = (transactionalId: string) => ({
  transactionalId,
  idempotent: true,
  maxInFlightRequests: 1,
});

describe('a transactional producer of kafkajs', () => {
  it('commits and aborts; what is committed is read, with what mocks have answered', async () => {
    const running = await startHost({
      topics: [{ name: 'in' }],
      mocks: [{ topic: 'in', response: { topic: 'out', value: 'to {{request.raw_body}}' } }],
    });
    const client = connectKafkaJs(running);
    const producer = await startProducer(client, transactional('t'));
    const first = await producer.transaction();
    await first.send({ topic: 'in', messages: [{ value: 'aborted' }] });
    await first.abort();
    const second = await producer.transaction();
    await second.send({ topic: 'in', messages: [{ value: 'committed' }] });
    await second.commit();
    const third = await producer.transaction();
    await third.send({ topic: 'in', messages: [{ value: 'open' }] });
    const quick = { maxWaitTimeInMs: 50 };
    const all = await startConsumer(client, 'all', ['in', 'out'], { ...quick, readUncommitted: true });
    await eventually(() => all.messages.length === 6);
    const some = await startConsumer(client, 'some', ['in', 'out'], quick);
    const values = (): unknown[] => some.messages.map(({ value }) => text(value)).sort();
    await eventually(() => some.messages.length === 2);
    expect(values()).toEqual(['committed', 'to committed']);
    const captured = running.host.kind('kafka').captures?.values() as readonly object[];
    expect(captured).toMatchObject([
      { value: 'aborted', transactional_id: 't', transaction: 'aborted' },
      { value: 'committed', transactional_id: 't', transaction: 'committed' },
      { value: 'open', transactional_id: 't', transaction: 'open' },
    ]);
    await third.commit();
    await eventually(() => some.messages.length === 4);
    expect(values()).toEqual(['committed', 'open', 'to committed', 'to open']);
  }, 20_000);

  it('commits the offsets of a group with its records, or neither', async () => {
    const running = await startHost({ mocks: [{ topic: 'in', records: [{ value: 'a' }, { value: 'b' }] }] });
    const client = connectKafkaJs(running);
    const admin = client.admin();
    await admin.connect();
    afterThis(() => admin.disconnect());
    const producer = await startProducer(client, transactional('copier'));
    const copy = async (end: 'commit' | 'abort'): Promise<unknown> => {
      const transaction = await producer.transaction();
      await transaction.send({ topic: 'out', messages: [{ value: 'copied' }] });
      const topics = [{ topic: 'in', partitions: [{ partition: 0, offset: '2' }] }];
      await transaction.sendOffsets({ consumerGroupId: 'g', topics });
      await transaction[end]();
      return admin.fetchOffsets({ groupId: 'g', topics: ['in'] });
    };
    expect(await copy('abort')).toMatchObject([{ partitions: [{ offset: '-1' }] }]);
    expect(await copy('commit')).toMatchObject([{ partitions: [{ offset: '2' }] }]);
  }, 20_000);

  it('is fenced by another one of the same id', async () => {
    const running = await startHost({ topics: [{ name: 'in' }] });
    const client = connectKafkaJs(running, { retry: { retries: 2, initialRetryTime: 10 } });
    const zombie = await startProducer(client, transactional('t'));
    const before = await zombie.transaction();
    await before.send({ topic: 'in', messages: [{ value: 'zombie' }] });
    const successor = await startProducer(client, transactional('t'));
    const after = await successor.transaction();
    await expect(before.commit()).rejects.toThrow();
    await after.send({ topic: 'in', messages: [{ value: 'successor' }] });
    await after.commit();
    const { messages } = await startConsumer(client, 'g', ['in'], { maxWaitTimeInMs: 50 });
    await eventually(() => messages.length === 1);
    expect(text(messages[0]?.value)).toBe('successor');
  }, 20_000);

  it('goes on after a reset', async () => {
    const running = await startHost({ topics: [{ name: 'in' }] });
    const producer = await startProducer(connectKafkaJs(running), transactional('t'));
    for (let round = 0; round < 2; round += 1) {
      const transaction = await producer.transaction();
      const [sent] = await transaction.send({ topic: 'in', messages: [{ value: 'a' }] });
      await transaction.commit();
      expect(sent?.baseOffset).toBe('0');
      running.host.reset();
    }
  });
});

describe('a snapshot', () => {
  it('brings open transactions back, with what was captured of them', async () => {
    const running = await startHost({ topics: [{ name: 'in' }] });
    const client = connectKafkaJs(running);
    const producer = await startProducer(client, transactional('t'));
    const transaction = await producer.transaction();
    await transaction.send({ topic: 'in', messages: [{ value: 'kept' }] });
    const topics = [{ topic: 'in', partitions: [{ partition: 0, offset: '7' }] }];
    await transaction.sendOffsets({ consumerGroupId: 'g', topics });
    const { id } = running.host.snapshots.create();
    await transaction.abort();
    const later = await producer.transaction();
    await later.send({ topic: 'in', messages: [{ value: 'gone' }] });
    running.host.snapshots.restore(id);
    const captured = (): unknown => running.host.kind('kafka').captures?.values();
    expect(captured()).toMatchObject([{ value: 'kept', transaction: 'open' }]);
    await later.commit();
    expect(captured()).toMatchObject([{ value: 'kept', transaction: 'committed' }]);
    const admin = client.admin();
    await admin.connect();
    afterThis(() => admin.disconnect());
    expect(await admin.fetchOffsets({ groupId: 'g', topics: ['in'] })).toMatchObject([
      { partitions: [{ offset: '7' }] },
    ]);
    const { messages } = await startConsumer(client, 'readers', ['in'], { maxWaitTimeInMs: 50 });
    await eventually(() => messages.length === 1);
    expect(text(messages[0]?.value)).toBe('kept');
  }, 20_000);
});

describe('a transaction', () => {
  const topicOf = (partition = 0) => [{ name: 'in', partitions: [partition] }];

  function batch(producer: { readonly producerId: number; readonly producerEpoch: number }): Buffer {
    const { producerId: id, producerEpoch: epoch } = producer;
    const bytes = batchOf(['x'], { id, epoch, sequence: 0 });
    bytes.writeInt16BE(0x10, 21);
    return seal(bytes);
  }

  async function begin(timeout: number) {
    const running = await startHost({ topics: [{ name: 'in' }] });
    const client = await RawClient.connect(running.port);
    const init = () =>
      client.call(initProducerId, 4, { transactionalId: 't', transactionTimeoutMs: timeout });
    const { producerId, producerEpoch } = await init();
    const claim = { transactionalId: 't', producerId, producerEpoch };
    const send = async (transactionalId: string | null): Promise<number | undefined> => {
      const topicData = [{ name: 'in', partitionData: [{ index: 0, records: [batch(claim)] }] }];
      const { responses } = await client.call(produce, 9, { transactionalId, acks: -1, topicData });
      return responses[0]?.partitionResponses[0]?.errorCode;
    };
    return { running, client, claim, send, init };
  }

  it('that a reset has interrupted can be gone on with, and passes its time-out all the same', async () => {
    const { running, client, claim, send } = await begin(300);
    const add = () => client.call(addPartitionsToTxn, 3, { ...claim, topics: topicOf() });
    await add();
    expect(await send('t')).toBe(ERROR.NONE);
    running.host.reset();
    expect(await send('t')).toBe(ERROR.INVALID_TXN_STATE);
    await add();
    expect(await send('t')).toBe(ERROR.NONE);
    const topics = [{ topic: 'in', partitions: [{ partitionMaxBytes: 10_000 }] }];
    const asked = { maxWaitMs: 60_000, minBytes: 1, isolationLevel: 1, topics };
    const { responses } = await client.call(fetch, 11, asked);
    expect(responses[0]?.partitions[0]).toMatchObject({ lastStableOffset: 2 });
    expect(await send('t')).toBe(ERROR.INVALID_PRODUCER_EPOCH);
  });

  it('is one of a bounded number of ids, of which those with nothing open are forgotten', async () => {
    const { client, claim } = await begin(60_000);
    await client.call(addPartitionsToTxn, 3, { ...claim, topics: topicOf() });
    const init = (transactionalId: string) =>
      client.call(initProducerId, 4, { transactionalId, transactionTimeoutMs: 60_000 });
    expect((await init('x'.repeat(1001))).errorCode).toBe(ERROR.INVALID_REQUEST);
    const first = await init('first');
    for (let count = 0; count < 9_999; count += 1) client.send(initProducerId, 4, idOf(count));
    for (let count = 0; count < 9_999; count += 1) await client.frame();
    const end = async (transactionalId: string, producerId: number, producerEpoch: number) => {
      const asked = { transactionalId, producerId, producerEpoch, committed: true };
      return (await client.call(endTxn, 3, asked)).errorCode;
    };
    // What is open is kept; the one that was begun the longest ago is forgotten.
    expect(await end('first', first.producerId, 0)).toBe(ERROR.INVALID_PRODUCER_ID_MAPPING);
    expect(await end('t', claim.producerId, claim.producerEpoch)).toBe(ERROR.NONE);
  }, 20_000);

  const idOf = (count: number) => ({ transactionalId: `id ${count}`, transactionTimeoutMs: 60_000 });

  it('holds back readers of what is committed until it passes its time-out, which fences its producer', async () => {
    const { client, claim, send } = await begin(300);
    expect(await send('t')).toBe(ERROR.INVALID_TXN_STATE);
    await client.call(addPartitionsToTxn, 3, { ...claim, topics: topicOf() });
    expect(await send(null)).toBe(ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
    expect(await send('t')).toBe(ERROR.NONE);
    const latest = async (isolationLevel: number): Promise<number | undefined> => {
      const topics = [{ name: 'in', partitions: [{ timestamp: -1 }] }];
      const answer = await client.call(listOffsets, 7, { isolationLevel, topics });
      return answer.topics[0]?.partitions[0]?.offset;
    };
    expect([await latest(0), await latest(1)]).toEqual([1, 0]);
    const topics = [{ topic: 'in', partitions: [{ partitionMaxBytes: 10_000 }] }];
    const asked = { maxWaitMs: 60_000, minBytes: 1, isolationLevel: 1, topics };
    const { responses } = await client.call(fetch, 11, asked);
    const [partition] = responses[0]?.partitions ?? [];
    expect(partition).toMatchObject({
      lastStableOffset: 2,
      abortedTransactions: [{ producerId: claim.producerId, firstOffset: 0 }],
    });
    expect((await client.call(endTxn, 3, { ...claim, committed: true })).errorCode).toBe(
      ERROR.PRODUCER_FENCED,
    );
    expect((await client.call(endTxn, 1, { ...claim, committed: true })).errorCode).toBe(
      ERROR.INVALID_PRODUCER_EPOCH,
    );
    expect(await send('t')).toBe(ERROR.INVALID_PRODUCER_EPOCH);
  });

  it('refuses unknown producers, partitions, time-outs and ends', async () => {
    const { client, claim } = await begin(60_000);
    const end = (committed: boolean, more: object = {}) =>
      client.call(endTxn, 3, { ...claim, committed, ...more }).then(({ errorCode }) => errorCode);
    expect(await end(true)).toBe(ERROR.INVALID_TXN_STATE);
    expect(await end(true, { producerId: 99 })).toBe(ERROR.INVALID_PRODUCER_ID_MAPPING);
    const topics = [{ name: 'in', partitions: [0, 7] }];
    const { results } = await client.call(addPartitionsToTxn, 3, { ...claim, topics });
    expect(results[0]?.resultsByPartition.map(({ partitionErrorCode }) => partitionErrorCode)).toEqual([
      ERROR.OPERATION_NOT_ATTEMPTED,
      ERROR.UNKNOWN_TOPIC_OR_PARTITION,
    ]);
    await client.call(addPartitionsToTxn, 3, { ...claim, topics: topicOf() });
    expect([await end(false), await end(false), await end(true)]).toEqual([0, 0, ERROR.INVALID_TXN_STATE]);
    const long = { transactionalId: 't', transactionTimeoutMs: 900_001 };
    expect((await client.call(initProducerId, 4, long)).errorCode).toBe(ERROR.INVALID_TRANSACTION_TIMEOUT);
  });
});

const PYTHON = `
import sys
from confluent_kafka import Producer, Consumer, TopicPartition, KafkaException
from confluent_kafka.admin import AdminClient
server = {'bootstrap.servers': sys.argv[1]}
producer = Producer({**server, 'transactional.id': 'py'})
producer.init_transactions(10)
def read(isolation, count):
    consumer = Consumer({**server, 'group.id': isolation, 'isolation.level': isolation, 'auto.offset.reset': 'earliest',
        'enable.partition.eof': True})
    consumer.assign([TopicPartition('out', 0, 0)])
    values = []
    while True:
        message = consumer.poll(10)
        if message is None or message.error(): break
        values.append(message.value().decode())
    consumer.close()
    return values
source = Consumer({**server, 'group.id': 'g', 'auto.offset.reset': 'earliest', 'enable.auto.commit': False})
source.subscribe(['in'])
taken = [source.poll(10) for _ in range(2)]
for end in ['abort', 'commit']:
    producer.begin_transaction()
    for message in taken:
        producer.produce('out', message.value() + b' ' + end.encode(), partition=0)
    producer.flush(10)
    producer.send_offsets_to_transaction(source.position(source.assignment()), source.consumer_group_metadata(), 10)
    producer.abort_transaction(10) if end == 'abort' else producer.commit_transaction(10)
print(read('read_committed', 2), len(read('read_uncommitted', 4)))
print([each.offset for each in source.committed([TopicPartition('in', 0)], 10)])
successor = Producer({**server, 'transactional.id': 'py'})
successor.init_transactions(10)
producer.begin_transaction()
producer.produce('out', b'zombie', partition=0)
try:
    producer.commit_transaction(10)
except KafkaException as error:
    print(error.args[0].fatal())
source.close()
`;

describe('confluent-kafka (librdkafka)', () => {
  itWithTool(
    '/usr/bin/python3 python3:confluent_kafka',
    'consumes, transforms and produces exactly once, and fences a zombie',
    async () => {
      const running = await startHost({
        topics: [{ name: 'out' }],
        mocks: [{ topic: 'in', records: [{ value: 'a' }, { value: 'b' }] }],
      });
      const { code, out, err } = await runTool('/usr/bin/python3', ['-c', PYTHON, running.address]);
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      expect(out.trim().split('\n')).toEqual(["['a commit', 'b commit'] 4", '[2]', 'True']);
    },
    60_000,
  );
});
