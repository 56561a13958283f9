import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RETENTION } from '../src/broker/partition-log.js';
import type { RequestOf } from '../src/wire/api.js';
import { apiVersions } from '../src/wire/apis/api-versions.js';
import { createTopics } from '../src/wire/apis/create-topics.js';
import { describeCluster } from '../src/wire/apis/describe-cluster.js';
import { fetch } from '../src/wire/apis/fetch.js';
import { findCoordinator } from '../src/wire/apis/find-coordinator.js';
import { initProducerId } from '../src/wire/apis/init-producer-id.js';
import { listOffsets } from '../src/wire/apis/list-offsets.js';
import { metadata } from '../src/wire/apis/metadata.js';
import { offsetForLeaderEpoch } from '../src/wire/apis/offset-for-leader-epoch.js';
import { produce } from '../src/wire/apis/produce.js';
import { saslAuthenticate } from '../src/wire/apis/sasl-authenticate.js';
import { saslHandshake } from '../src/wire/apis/sasl-handshake.js';
import { ERROR } from '../src/wire/errors.js';
import { batchOf, RawClient, seal, startHost, valuesOf } from './support.js';

/** A client of a broker with the topics `log`, of one partition, and `wide`, of three. */
async function connect(settings: object = {}): Promise<RawClient> {
  const { port } = await startHost({
    topics: [{ name: 'log' }, { name: 'wide', partitions: 3 }],
    ...settings,
  });
  return RawClient.connect(port);
}

async function store(
  client: RawClient,
  records: Buffer,
  acks = -1,
  version = 7,
): Promise<object | undefined> {
  const topicData = [{ name: 'log', partitionData: [{ index: 0, records: [records] }] }];
  const { responses } = await client.call(produce, version, { acks, timeoutMs: 1000, topicData });
  return responses[0]?.partitionResponses[0];
}

type Asked = Partial<Omit<RequestOf<typeof fetch>, 'topics'>>;

const ask = (fetchOffset: number, more: Asked = {}, topic = 'log') => ({
  maxWaitMs: 0,
  minBytes: 1,
  maxBytes: 1_000_000,
  ...more,
  topics: [{ topic, partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 1_000_000 }] }],
});

async function load(client: RawClient, fetchOffset: number, more: Asked = {}) {
  const { responses } = await client.call(fetch, 11, ask(fetchOffset, more));
  const part = responses[0]?.partitions[0];
  return { ...part, values: valuesOf(part?.records ?? null) };
}

/** Batches that are refused: the error, and what makes them so. */
const SPOILED: readonly (readonly [string, number, (batch: Buffer) => unknown])[] = [
  ['a wrong checksum', ERROR.CORRUPT_MESSAGE, (batch) => batch.fill(0x41, batch.length - 1)],
  ['a length that lies', ERROR.CORRUPT_MESSAGE, (batch) => void batch.writeInt32BE(2 ** 31 - 1, 8)],
  ['2^31 - 1 records', ERROR.INVALID_RECORD, (batch) => (batch.writeInt32BE(2 ** 31 - 1, 57), seal(batch))],
  ['no records', ERROR.INVALID_RECORD, (batch) => (batch.writeInt32BE(0, 57), seal(batch))],
  ['an old format', ERROR.UNSUPPORTED_FOR_MESSAGE_FORMAT, (batch) => void batch.writeInt8(1, 16)],
  ['a control flag', ERROR.INVALID_RECORD, (batch) => (batch.writeInt16BE(0x20, 21), seal(batch))],
  [
    'a transaction flag',
    ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    (batch) => (batch.writeInt16BE(0x10, 21), seal(batch)),
  ],
  [
    'an unknown compression',
    ERROR.UNSUPPORTED_COMPRESSION_TYPE,
    (batch) => (batch.writeInt16BE(5, 21), seal(batch)),
  ],
  ['records that are no gzip', ERROR.CORRUPT_MESSAGE, (batch) => (batch.writeInt16BE(1, 21), seal(batch))],
  ['a record that does not fit', ERROR.CORRUPT_MESSAGE, (batch) => (batch.writeInt8(0x7e, 61), seal(batch))],
];

describe('ApiVersions', () => {
  it('tells the same in every version, and what to use to a client that is too new', async () => {
    const client = await connect();
    const told = await Promise.all([0, 1, 2, 3, 4].map((version) => client.call(apiVersions, version, {})));
    expect(new Set(told.map(({ apiKeys }) => JSON.stringify(apiKeys))).size).toBe(1);
    expect(told[0]?.apiKeys).toContainEqual({ apiKey: 1, minVersion: 4, maxVersion: 13 });
    client.send({ ...apiVersions, max: 99 }, 77, {});
    const frame = await client.frame();
    // The answer of version 0: correlation id, error 35, one entry.
    expect(frame?.toString('hex')).toBe('000000060023000000010012' + '00000004');
  });
});

describe('Metadata', () => {
  it('lists the broker where the client has connected to', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    const { brokers } = await client.call(metadata, 9, { topics: [] });
    expect(brokers).toEqual([{ nodeId: 1, host: '127.0.0.1', port, rack: null }]);
    expect(await client.call(describeCluster, 1, {})).toMatchObject({
      brokers: [{ host: '127.0.0.1', port }],
    });
    expect(await client.call(findCoordinator, 4, { coordinatorKeys: ['g'] })).toMatchObject({
      coordinators: [{ key: 'g', host: '127.0.0.1', port, errorCode: 0 }],
    });
  });

  it.each([
    ['localhost', undefined, 'localhost', undefined],
    ['127.0.0.1', 'kafka.test', 'kafka.test', undefined],
    ['127.0.0.1', 'kafka.test:19092', 'kafka.test', 19092],
    ['127.0.0.1', '[::1]:19092', '::1', 19092],
    ['127.0.0.1', '::1', '::1', undefined],
  ])('on %s advertised as %s says %s', async (host, advertised, said, saidPort) => {
    const settings = advertised === undefined ? { host } : { host, advertised_host: advertised };
    const { port } = await startHost(settings);
    const { brokers } = await (await RawClient.connect(port)).call(metadata, 1, { topics: [] });
    expect(brokers[0]).toMatchObject({ host: said, port: saidPort ?? port });
  });

  it.each(['a b', 'host:99999', 'host:0', ''])('cannot be advertised as %j', async (advertised) => {
    await expect(startHost({ advertised_host: advertised })).rejects.toThrow();
  });

  it('makes topics that are asked for, unless told otherwise', async () => {
    const client = await connect();
    const { topics } = await client.call(metadata, 12, {
      topics: [{ name: 'new' }, { name: 'not/good' }],
      allowAutoTopicCreation: true,
    });
    expect(topics.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['new', 0],
      ['not/good', ERROR.INVALID_TOPIC_EXCEPTION],
    ]);
    const refused = await client.call(metadata, 12, {
      topics: [{ name: 'more' }],
      allowAutoTopicCreation: false,
    });
    expect(refused.topics[0]?.errorCode).toBe(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
    const strict = await connect({ auto_create_topics: false });
    const none = await strict.call(metadata, 1, { topics: [{ name: 'more' }] });
    expect(none.topics[0]?.errorCode).toBe(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
    const all = await strict.call(metadata, 1, { topics: null });
    expect(all.topics.map(({ name, partitions }) => [name, partitions.length])).toEqual([
      ['log', 1],
      ['wide', 3],
    ]);
  });
});

describe('Produce', () => {
  it.each([3, 5, 7, 8, 9, 11])('of version %d stores a batch', async (version) => {
    const client = await connect();
    expect(await store(client, batchOf(['a', 'b']), -1, version)).toMatchObject({
      errorCode: 0,
      baseOffset: 0,
    });
    expect(await store(client, batchOf(['c']), 1, version)).toMatchObject({ errorCode: 0, baseOffset: 2 });
    expect((await load(client, 0)).values).toEqual(['a', 'b', 'c']);
    expect((await load(client, 2)).values).toEqual(['c']);
  });

  it('with acks 0 has no answer, and closes the connection when it fails', async () => {
    const client = await connect();
    const request = (index: number) => ({
      acks: 0,
      topicData: [{ name: 'log', partitionData: [{ index, records: [batchOf(['a'])] }] }],
    });
    client.send(produce, 7, request(0));
    expect(
      await client.call(listOffsets, 1, { topics: [{ name: 'log', partitions: [{ timestamp: -1 }] }] }),
    ).toMatchObject({
      topics: [{ partitions: [{ offset: 1 }] }],
    });
    client.send(produce, 7, request(5));
    await client.closed();
  });

  it.each(SPOILED)('refuses a batch with %s', async (_name, error, spoil) => {
    const client = await connect();
    const batch = batchOf(['value']);
    spoil(batch);
    expect(await store(client, batch)).toMatchObject({ errorCode: error });
    expect(await store(client, batchOf(['good']))).toMatchObject({ errorCode: 0, baseOffset: 0 });
  });

  it('refuses what is too large, unknown or of impossible acks', async () => {
    const client = await connect();
    expect(await store(client, batchOf(['x'.repeat(1_100_000)]))).toMatchObject({
      errorCode: ERROR.MESSAGE_TOO_LARGE,
    });
    expect(await store(client, batchOf(['x']), 2)).toMatchObject({ errorCode: ERROR.INVALID_REQUIRED_ACKS });
    const topicData = [{ name: 'nowhere', partitionData: [{ index: 0, records: [batchOf(['x'])] }] }];
    expect(await client.call(produce, 9, { acks: 1, topicData })).toMatchObject({
      responses: [{ partitionResponses: [{ errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION }] }],
    });
  });

  it('of an idempotent producer takes each batch once and in order', async () => {
    const client = await connect();
    const { producerId: id } = await client.call(initProducerId, 4, {});
    const send = (sequence: number, values: string[], epoch = 0) =>
      store(client, batchOf(values, { id, epoch, sequence }));
    expect(await send(0, ['a', 'b'])).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await send(2, ['c'])).toMatchObject({ errorCode: 0, baseOffset: 2 });
    expect(await send(0, ['a', 'b'])).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await send(4, ['e'])).toMatchObject({ errorCode: ERROR.OUT_OF_ORDER_SEQUENCE_NUMBER });
    for (let sequence = 3; sequence < 8; sequence += 1) await send(sequence, [String(sequence)]);
    expect(await send(0, ['a', 'b'])).toMatchObject({ errorCode: ERROR.DUPLICATE_SEQUENCE_NUMBER });
    expect(await client.call(initProducerId, 4, { producerId: id, producerEpoch: 0 })).toMatchObject({
      producerId: id,
      producerEpoch: 1,
    });
    expect(await send(5, ['x'], 1)).toMatchObject({ errorCode: ERROR.OUT_OF_ORDER_SEQUENCE_NUMBER });
    expect(await send(0, ['x'], 1)).toMatchObject({ errorCode: 0, baseOffset: 8 });
    expect(await send(8, ['y'], 0)).toMatchObject({ errorCode: ERROR.INVALID_PRODUCER_EPOCH });
  });
});

describe('Fetch', () => {
  it('waits until there is enough, or the time is over', async () => {
    const { port } = await startHost({ topics: [{ name: 'log' }] });
    const [reader, writer] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
    const start = performance.now();
    expect((await load(reader, 0, { maxWaitMs: 150 })).values).toEqual([]);
    expect(performance.now() - start).toBeGreaterThan(140);
    let isAnswered = false;
    const waiting = load(reader, 0, { maxWaitMs: 60_000, minBytes: 150 }).finally(() => (isAnswered = true));
    await store(writer, batchOf(['first']));
    await store(writer, batchOf(['second']));
    expect(isAnswered).toBe(false);
    await store(writer, batchOf(['third']));
    expect((await waiting).values).toEqual(['first', 'second', 'third']);
  });

  it('that waits ends when its topic is deleted or reset, and holds up no stop', async () => {
    const { host, port } = await startHost({ topics: [{ name: 'log' }] });
    const client = await RawClient.connect(port);
    const waiting = client.call(fetch, 11, ask(0, { maxWaitMs: 60_000 }));
    host.kind('kafka').mocks.create({ topic: 'log', records: [{ value: 'made' }] });
    expect(valuesOf((await waiting).responses[0]?.partitions[0]?.records ?? null)).toEqual(['made']);
    client.send(fetch, 11, ask(1, { maxWaitMs: 600_000 }));
    const again = client.frame();
    await eventually(() => client.socket.writableLength === 0);
    host.reset();
    // Were the stop held up, nothing would move until its grace is over.
    await host.stop(600_000);
    await again;
  });

  it('refuses offsets, partitions, topic ids and sessions that there are not', async () => {
    const client = await connect();
    await store(client, batchOf(['a']));
    expect(await load(client, 2)).toMatchObject({ errorCode: ERROR.OFFSET_OUT_OF_RANGE, highWatermark: 1 });
    expect(await load(client, -5)).toMatchObject({ errorCode: ERROR.OFFSET_OUT_OF_RANGE });
    const byName = await client.call(fetch, 12, ask(0, { maxWaitMs: 5000 }, 'nowhere'));
    expect(byName.responses[0]?.partitions[0]?.errorCode).toBe(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
    const byId = await client.call(fetch, 13, ask(0, { maxWaitMs: 5000 }));
    expect(byId.responses[0]?.partitions[0]?.errorCode).toBe(ERROR.UNKNOWN_TOPIC_ID);
    expect(await client.call(fetch, 7, { ...ask(0), sessionId: 5 })).toMatchObject({
      errorCode: ERROR.FETCH_SESSION_ID_NOT_FOUND,
    });
  });

  it('gives a first batch that is larger than was asked for, and no more', async () => {
    const client = await connect();
    await store(client, batchOf(['x'.repeat(5000)]));
    await store(client, batchOf(['y'.repeat(5000)]));
    expect((await load(client, 0, { maxBytes: 100 })).values).toEqual(['x'.repeat(5000)]);
    expect((await load(client, 0)).values?.length).toBe(2);
  });
});

describe('a log', () => {
  it('keeps no more than it may, and readers who were too slow are told', async () => {
    const client = await connect();
    const thousand = Array.from({ length: 1000 }, (_, n) => String(n));
    for (let n = 0; n < RETENTION.records / 1000 + 5; n += 1) await store(client, batchOf(thousand));
    const first = await load(client, 0);
    expect(first).toMatchObject({ errorCode: ERROR.OFFSET_OUT_OF_RANGE, logStartOffset: 5000 });
    expect((await load(client, 5000, { maxBytes: 1 })).values).toEqual(thousand);
  });

  it('finds offsets by place and by time', async () => {
    const client = await connect();
    await store(client, batchOf(['a', 'b'], undefined, 1000));
    await store(client, batchOf(['c'], undefined, 3000));
    await store(client, batchOf(['d'], undefined, 2000));
    const find = async (timestamp: number, version = 7): Promise<unknown> => {
      const { topics } = await client.call(listOffsets, version, {
        topics: [{ name: 'log', partitions: [{ timestamp }] }],
      });
      const [part] = topics[0]?.partitions ?? [];
      return version === 0 ? part?.oldStyleOffsets : [part?.offset, part?.timestamp];
    };
    expect(await find(-1)).toEqual([4, -1]);
    expect(await find(-2)).toEqual([0, -1]);
    expect(await find(-3)).toEqual([2, 3000]);
    expect(await find(1001)).toEqual([2, 3000]);
    expect(await find(500)).toEqual([0, 1000]);
    expect(await find(9000)).toEqual([-1, -1]);
    expect(await find(-1, 0)).toEqual([4]);
    const { topics } = await client.call(offsetForLeaderEpoch, 3, {
      topics: [{ topic: 'log', partitions: [{ leaderEpoch: 0 }] }],
    });
    expect(topics[0]?.partitions[0]).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 4 });
  });
});

describe('CreateTopics', () => {
  it.each([
    ['a name', { name: 'a/b', numPartitions: 1, replicationFactor: 1 }, ERROR.INVALID_TOPIC_EXCEPTION],
    [
      'a number of partitions',
      { name: 't', numPartitions: 0, replicationFactor: 1 },
      ERROR.INVALID_PARTITIONS,
    ],
    [
      'partitions beyond the limit',
      { name: 't', numPartitions: 1001, replicationFactor: 1 },
      ERROR.INVALID_PARTITIONS,
    ],
    [
      'a replication factor',
      { name: 't', numPartitions: 1, replicationFactor: 3 },
      ERROR.INVALID_REPLICATION_FACTOR,
    ],
    [
      'a topic that is there',
      { name: 'log', numPartitions: 1, replicationFactor: 1 },
      ERROR.TOPIC_ALREADY_EXISTS,
    ],
    [
      'a setting',
      { name: 't', numPartitions: 1, replicationFactor: 1, configs: [{ name: 'no.such', value: '1' }] },
      ERROR.INVALID_CONFIG,
    ],
    [
      'an assignment',
      { name: 't', numPartitions: -1, replicationFactor: -1, assignments: [{ brokerIds: [7] }] },
      ERROR.INVALID_REPLICA_ASSIGNMENT,
    ],
  ])('refuses %s', async (_name, topic, error) => {
    const client = await connect();
    expect(await client.call(createTopics, 7, { topics: [topic] })).toMatchObject({
      topics: [{ errorCode: error }],
    });
  });

  it('only checks when it is told to', async () => {
    const client = await connect();
    const topic = { name: 't', numPartitions: 2, replicationFactor: 1 };
    expect(await client.call(createTopics, 5, { topics: [topic], validateOnly: true })).toMatchObject({
      topics: [{ errorCode: 0, numPartitions: 2 }],
    });
    expect(await client.call(createTopics, 5, { topics: [topic] })).toMatchObject({
      topics: [{ errorCode: 0 }],
    });
  });
});

describe('SASL', () => {
  const login = Buffer.from('\0user\0password');

  it('takes PLAIN with any login, and nothing else', async () => {
    const client = await connect();
    expect(await client.call(saslHandshake, 1, { mechanism: 'PLAIN' })).toEqual({
      errorCode: 0,
      mechanisms: ['PLAIN'],
    });
    expect(await client.call(saslAuthenticate, 2, { authBytes: login })).toMatchObject({ errorCode: 0 });
    expect(await client.call(saslAuthenticate, 0, { authBytes: Buffer.from('nonsense') })).toMatchObject({
      errorCode: ERROR.SASL_AUTHENTICATION_FAILED,
    });
    expect(await client.call(saslHandshake, 1, { mechanism: 'SCRAM-SHA-256' })).toMatchObject({
      errorCode: ERROR.UNSUPPORTED_SASL_MECHANISM,
    });
  });

  it('takes a bare login after a handshake of version 0', async () => {
    const client = await connect();
    await client.call(saslHandshake, 0, { mechanism: 'PLAIN' });
    client.socket.write(Buffer.concat([Buffer.from([0, 0, 0, login.length]), login]));
    expect(await client.frame()).toEqual(Buffer.alloc(0));
    expect(await client.call(apiVersions, 0, {})).toMatchObject({ errorCode: 0 });
  });
});
