import { describe, expect, it } from '@jest/globals';
import {
  Admin,
  Connection,
  describeProducersV0,
  describeTransactionsV0,
  listTransactionsV1,
} from '@platformatic/kafka';
import { describeTransactions } from '../src/wire/apis/describe-transactions.js';
import { listTransactions } from '../src/wire/apis/list-transactions.js';
import { offsetCommit } from '../src/wire/apis/offset-commit.js';
import { offsetDelete } from '../src/wire/apis/offset-delete.js';
import { ERROR } from '../src/wire/errors.js';
import { afterThis, connectKafkaJs, RawClient, startConsumer, startHost, startProducer } from './support.js';

async function connect(port: number): Promise<Connection> {
  const connection = new Connection('tester');
  afterThis(() => connection.close());
  await connection.connect('127.0.0.1', port);
  return connection;
}

describe('transactions and producers, asked by @platformatic/kafka', () => {
  it('are listed and described while a transaction is under way and after', async () => {
    const running = await startHost({ topics: [{ name: 'in', partitions: 2 }] });
    const settings = { transactionalId: 't', idempotent: true, maxInFlightRequests: 1 };
    const producer = await startProducer(connectKafkaJs(running), { ...settings, transactionTimeout: 5000 });
    const connection = await connect(running.port);
    const describeOne = async () => {
      const { transactionStates } = await describeTransactionsV0.api.async(connection, ['t']);
      const [described] = transactionStates;
      if (described === undefined) throw new Error('nothing is described');
      return described;
    };
    const producersOf = async (): Promise<readonly object[]> => {
      const wanted = [{ name: 'in', partitionIndexes: [1] }];
      const { topics } = await describeProducersV0.api.async(connection, wanted);
      return topics[0]?.partitions[0]?.activeProducers ?? [];
    };
    const before = running.host.clock.now();
    const transaction = await producer.transaction();
    await transaction.send({
      topic: 'in',
      messages: [
        { value: 'a', partition: 1, timestamp: '1700000000000' },
        { value: 'b', partition: 1, timestamp: '1700000000001' },
      ],
    });
    const { transactionStates } = await listTransactionsV1.api.async(connection, [], [], -1n, null);
    expect(transactionStates).toMatchObject([{ transactionalId: 't', transactionState: 'Ongoing' }]);
    const { producerId } = transactionStates[0] ?? { producerId: -1n };
    const described = await describeOne();
    expect(Number(described.transactionStartTimeMs)).toBeGreaterThanOrEqual(before);
    expect(Number(described.transactionStartTimeMs)).toBeLessThanOrEqual(running.host.clock.now());
    expect(described).toMatchObject({
      transactionState: 'Ongoing',
      transactionTimeoutMs: 5000,
      producerId,
      producerEpoch: 0,
      topics: [{ topic: 'in', partitions: [1] }],
    });
    const active = { producerId, producerEpoch: 0, lastSequence: 1, lastTimestamp: 1_700_000_000_001n };
    expect(await producersOf()).toMatchObject([{ ...active, currentTxnStartOffset: 0n }]);
    await transaction.commit();
    expect(await describeOne()).toMatchObject({ transactionState: 'CompleteCommit', topics: [] });
    expect(await producersOf()).toMatchObject([{ ...active, currentTxnStartOffset: -1n }]);
  });

  it('are chosen by state, producer and duration', async () => {
    const running = await startHost({ topics: [{ name: 'in' }] });
    const client = connectKafkaJs(running);
    const settings = { idempotent: true, maxInFlightRequests: 1 };
    const producer = await startProducer(client, { ...settings, transactionalId: 'open' });
    const transaction = await producer.transaction();
    await transaction.send({ topic: 'in', messages: [{ value: 'a' }] });
    const other = await startProducer(client, { ...settings, transactionalId: 'done' });
    await (await other.transaction()).abort();
    const raw = await RawClient.connect(running.port);
    const list = async (asked: object): Promise<string[]> =>
      (await raw.call(listTransactions, 1, asked)).transactionStates.map((each) => each.transactionalId);
    expect(await list({})).toEqual(['open', 'done']);
    expect(await list({ stateFilters: ['Ongoing', 'Sleeping'] })).toEqual(['open']);
    expect(await list({ stateFilters: ['Sleeping'] })).toEqual([]);
    const all = await raw.call(listTransactions, 1, {});
    const [, done] = all.transactionStates;
    expect(await list({ producerIdFilters: [done?.producerId ?? -1] })).toEqual(['done']);
    expect(await list({ durationFilter: 1000 })).toEqual([]);
    await running.host.clock.advance(2000);
    expect(await list({ durationFilter: 1000 })).toEqual(['open']);
    const { unknownStateFilters } = await raw.call(listTransactions, 1, { stateFilters: ['Sleeping'] });
    expect(unknownStateFilters).toEqual(['Sleeping']);
    const { transactionStates } = await raw.call(describeTransactions, 0, { transactionalIds: ['none'] });
    expect(transactionStates).toMatchObject([{ errorCode: ERROR.TRANSACTIONAL_ID_NOT_FOUND }]);
    await transaction.abort();
  });
});

describe('offsets', () => {
  it('are deleted by @platformatic/kafka, but not of a topic that a member reads', async () => {
    const running = await startHost({
      mocks: [
        { topic: 'read', records: [{ value: 'a' }] },
        { topic: 'left', records: [{ value: 'a' }] },
      ],
    });
    const client = connectKafkaJs(running);
    const admin = client.admin();
    await admin.connect();
    afterThis(() => admin.disconnect());
    const raw = await RawClient.connect(running.port);
    const partitions = [{ partitionIndex: 0, committedOffset: 1 }];
    const committed = { topics: ['read', 'left'].map((name) => ({ name, partitions })) };
    await raw.call(offsetCommit, 8, { groupId: 'g', generationId: -1, ...committed });
    const { consumer } = await startConsumer(client, 'g', ['read'], { maxWaitTimeInMs: 50 });
    const drop = async (topic: string): Promise<number | undefined> => {
      const topics = [{ name: topic, partitions: [{ partitionIndex: 0 }] }];
      return (await raw.call(offsetDelete, 0, { groupId: 'g', topics })).topics[0]?.partitions[0]?.errorCode;
    };
    expect(await drop('read')).toBe(ERROR.GROUP_SUBSCRIBED_TO_TOPIC);
    expect(await drop('left')).toBe(ERROR.NONE);
    expect(await drop('none')).toBe(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
    await consumer.disconnect();
    const { groups } = await admin.describeGroups(['g']);
    expect(groups[0]?.state).toBe('Empty');
    const tool = new Admin({ clientId: 'tester', bootstrapBrokers: [running.address] });
    afterThis(() => tool.close());
    const topics = [{ name: 'read', partitionIndexes: [0] }];
    expect(await tool.deleteConsumerGroupOffsets({ groupId: 'g', topics })).toEqual(topics);
    const left = await admin.fetchOffsets({ groupId: 'g', topics: ['read', 'left'] });
    expect(left.flatMap(({ partitions }) => partitions.map(({ offset }) => offset))).toEqual(['-1', '-1']);
    const unknown = await raw.call(offsetDelete, 0, { groupId: 'nobody', topics: [] });
    expect(unknown.errorCode).toBe(ERROR.GROUP_ID_NOT_FOUND);
  }, 20_000);
});
