import { gzipSync } from 'node:zlib';
import { ByteReader, ByteWriter } from '@backlot/kit/framing';
import { describe, expect, it } from '@jest/globals';
import { Group } from '../src/broker/group.js';
import { GroupMemory } from '../src/broker/group-memory.js';
import { Groups } from '../src/broker/groups.js';
import type { Joined } from '../src/broker/member.js';
import { PartitionLog } from '../src/broker/partition-log.js';
import { createTopics } from '../src/wire/apis/create-topics.js';
import { deleteTopics } from '../src/wire/apis/delete-topics.js';
import { describeGroups } from '../src/wire/apis/describe-groups.js';
import { fetch } from '../src/wire/apis/fetch.js';
import { joinGroup } from '../src/wire/apis/join-group.js';
import { listOffsets } from '../src/wire/apis/list-offsets.js';
import { metadata } from '../src/wire/apis/metadata.js';
import { offsetCommit } from '../src/wire/apis/offset-commit.js';
import { offsetFetch } from '../src/wire/apis/offset-fetch.js';
import { produce } from '../src/wire/apis/produce.js';
import { makeBatch, RecordBatch } from '../src/wire/batch.js';
import { drain } from '../src/wire/drain.js';
import { ERROR } from '../src/wire/errors.js';
import { Output } from '../src/wire/output.js';
import { readMessage, readMessageInSteps } from '../src/wire/read-message.js';
import { writeMessage, writeMessageInSteps } from '../src/wire/write-message.js';
import { batchOf, RawClient, seal, startHost, valuesOf } from './support.js';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** A batch of many records, compressed. */
function compressed(count: number, value: Buffer): Buffer {
  const { bytes } = makeBatch(
    numbers(count).map(() => ({ key: null, value, headers: [] })),
    1,
  );
  const head = Buffer.from(bytes.subarray(0, 61));
  const batch = Buffer.concat([head, gzipSync(bytes.subarray(61))]);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt16BE(1, 21);
  return seal(batch);
}

async function store(client: RawClient, records: Buffer): Promise<object | undefined> {
  const topicData = [{ name: 'log', partitionData: [{ index: 0, records: [records] }] }];
  const { responses } = await client.call(produce, 9, { acks: -1, timeoutMs: 1000, topicData });
  return responses[0]?.partitionResponses[0];
}

describe('a large request', () => {
  it('is read and answered in steps, with the same outcome', () => {
    const topics = numbers(500).map((n) => ({
      name: `t${n}`,
      partitions: numbers(n % 5).map((partitionIndex) => ({ partitionIndex, timestamp: n })),
    }));
    for (const version of [4, 7]) {
      const isFlexible = version >= listOffsets.flexible;
      const once = new ByteWriter();
      writeMessage(listOffsets.request, { topics }, once, version, isFlexible);
      const inSteps = new ByteWriter();
      let steps = 0;
      for (const _ of writeMessageInSteps(listOffsets.request, { topics }, inSteps, version, isFlexible))
        steps += 1;
      expect(steps).toBeGreaterThan(5);
      const bytes = Buffer.from(once.finish());
      expect(inSteps.finish().equals(bytes)).toBe(true);
      const reading = readMessageInSteps(listOffsets.request, new ByteReader(bytes), version, isFlexible);
      expect(drain(reading)).toEqual(
        readMessage(listOffsets.request, new ByteReader(bytes), version, isFlexible),
      );
    }
  });

  it('makes, describes and deletes many topics, and what comes behind it is answered in order', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    const names = numbers(3000).map((n) => `topic-${n}`);
    const sent = [
      client.send(metadata, 9, { topics: names.map((name) => ({ name })), allowAutoTopicCreation: true }),
      client.send(createTopics, 4, {
        topics: [...names.slice(0, 2), 'new', 'twice', 'twice'].map((name) => ({
          name,
          numPartitions: 1,
          replicationFactor: 1,
        })),
      }),
      client.send(deleteTopics, 4, { topicNames: names }),
      client.send(metadata, 9, { topics: null }),
    ];
    const ids: (number | undefined)[] = [];
    for (const _ of sent) ids.push((await client.frame())?.readInt32BE(0));
    expect(ids).toEqual(sent);
    const left = await client.call(metadata, 9, { topics: null });
    expect(left.topics.map(({ name }) => name)).toEqual(['new']);
  });

  it('describes a topic or a group that it names a thousand times once', async () => {
    const { port } = await startHost({ topics: [{ name: 'wide', partitions: 1000 }] });
    const client = await RawClient.connect(port);
    const { topics } = await client.call(metadata, 9, {
      topics: numbers(1000).map(() => ({ name: 'wide' })),
    });
    expect(topics.map(({ partitions }) => partitions.length)).toEqual([1000]);
    const { groups } = await client.call(describeGroups, 5, { groups: numbers(1000).map(() => 'g') });
    expect(groups).toHaveLength(1);
  });
});

describe('Fetch and ListOffsets', () => {
  it('take a partition that is named many times once, the last time', async () => {
    const { port } = await startHost({ topics: [{ name: 'log' }] });
    const client = await RawClient.connect(port);
    await store(client, batchOf(['a', 'b']));
    const partitions = numbers(3000).map((n) => ({
      fetchOffset: n === 2999 ? 0 : 2,
      partitionMaxBytes: 1000,
    }));
    const { responses } = await client.call(fetch, 11, {
      maxBytes: 1000,
      topics: [{ topic: 'log', partitions }],
    });
    expect(responses[0]?.partitions).toHaveLength(1);
    expect(valuesOf(responses[0]?.partitions[0]?.records ?? null)).toEqual(['a', 'b']);
    const times = numbers(3).map((timestamp) => ({ timestamp }));
    const { topics } = await client.call(listOffsets, 7, { topics: [{ name: 'log', partitions: times }] });
    expect(topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([
      ERROR.NONE,
      ERROR.INVALID_REQUEST,
      ERROR.INVALID_REQUEST,
    ]);
  });

  it('wait for many partitions, of which one that grows is looked at', async () => {
    const { port } = await startHost({ topics: [{ name: 'wide', partitions: 1000 }, { name: 'log' }] });
    const client = await RawClient.connect(port);
    const partitions = numbers(1000).map((partition) => ({ partition, partitionMaxBytes: 1000 }));
    const topics = [
      { topic: 'wide', partitions },
      { topic: 'log', partitions: [{ partitionMaxBytes: 1000 }] },
    ];
    const minBytes = batchOf(['a']).length + 1;
    const id = client.send(fetch, 11, { maxBytes: 10_000, maxWaitMs: 60_000, minBytes, topics });
    const other = await RawClient.connect(port);
    await store(other, batchOf(['a']));
    await store(other, batchOf(['b']));
    expect((await client.frame())?.readInt32BE(0)).toBe(id);
  });

  it('find a time without looking at every batch', () => {
    const log = new PartitionLog();
    const times = numbers(2000).map((n) => (n % 100 === 0 ? n : n - 50));
    for (const time of times) log.append(new RecordBatch(batchOf(['x'], undefined, time)));
    for (const time of [0, 77, 100, 101, 1950, 3000]) {
      const expected = times.findIndex((each) => each >= time);
      const steps = log.offsetAt(time);
      let count = 0;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count += 1;
      expect(step.value.offset).toBe(expected);
      expect(count).toBeLessThan(5);
    }
    expect(drain(log.latest()).timestamp).toBe(Math.max(...times));
    log.deleteBefore(1901);
    expect(drain(log.offsetAt(0)).offset).toBe(1901);
    expect([1901, 1999, 2000].map((offset) => log.readable(offset, 2000))).toEqual([
      99 * batchOf(['x']).length,
      batchOf(['x']).length,
      0,
    ]);
  });
});

describe('compressed batches', () => {
  it('of more than 16 MiB, or of more records than a partition keeps, are refused', async () => {
    const { port } = await startHost({ topics: [{ name: 'log' }] });
    const client = await RawClient.connect(port);
    expect(await store(client, compressed(1, Buffer.alloc(17 * 1024 * 1024)))).toMatchObject({
      errorCode: ERROR.MESSAGE_TOO_LARGE,
    });
    expect(await store(client, compressed(100_001, Buffer.alloc(0)))).toMatchObject({
      errorCode: ERROR.RECORD_LIST_TOO_LARGE,
    });
    expect(await store(client, compressed(2000, Buffer.from('x')))).toMatchObject({ errorCode: ERROR.NONE });
  });

  it('are read in steps', () => {
    const batch = new RecordBatch(compressed(10_000, Buffer.from('x')));
    let steps = 0;
    for (const _ of batch.recordsInSteps()) steps += 1;
    expect(steps).toBeGreaterThan(5);
    expect(batch.records()).toHaveLength(10_000);
  });

  it('repeat bytes of whatever distance and length', () => {
    for (const distance of [1, 2, 7, 40]) {
      for (const length of [1, 31, 33, 1000]) {
        const output = new Output(10_000);
        const start = Buffer.from(numbers(40).map((n) => n + 1));
        output.append(start);
        output.repeat(distance, length);
        const expected = [...start];
        for (let count = 0; count < length; count += 1)
          expected.push(expected[expected.length - distance] ?? 0);
        expect([...output.finish()]).toEqual(expected);
      }
    }
  });
});

describe('groups', () => {
  it('refuse a member that says too much about itself', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    const join = async (protocols: { name: string; metadata: Buffer }[]): Promise<number> => {
      const request = {
        groupId: 'g',
        sessionTimeoutMs: 10_000,
        rebalanceTimeoutMs: 1000,
        protocolType: 'consumer',
        protocols,
      };
      return (await client.call(joinGroup, 5, request)).errorCode;
    };
    const metadataOf = (size: number) => Buffer.alloc(size);
    expect(await join(numbers(101).map((n) => ({ name: `${n}`, metadata: metadataOf(1) })))).toBe(
      ERROR.INVALID_REQUEST,
    );
    expect(await join([{ name: 'a', metadata: metadataOf(1024 * 1024) }])).toBe(ERROR.INVALID_REQUEST);
    expect(await join([{ name: 'a', metadata: metadataOf(1000) }])).toBe(ERROR.MEMBER_ID_REQUIRED);
  });

  it('hold together no more than they may, and forget what is gone', () => {
    const memory = new GroupMemory();
    const outcomes: Joined[] = [];
    const groups = numbers(70).map((n) => new Group(`g${n}`, memory));
    for (const group of groups) {
      const request = {
        memberId: '',
        instanceId: null,
        protocolType: 'consumer',
        protocols: [{ name: 'a', metadata: Buffer.alloc(1024 * 1024 - 1) }],
        sessionTimeout: 10_000,
        rebalanceTimeout: 1000,
        clientId: 'c',
        clientHost: '/h',
        asksForId: false,
      };
      group.join(request, (outcome) => outcomes.push(outcome));
    }
    expect(memory.members).toBe(64);
    expect(outcomes.map(({ error }) => error)).toEqual(
      Array.from({ length: 6 }, () => ERROR.GROUP_MAX_SIZE_REACHED),
    );
    for (const group of groups) group.dissolve();
    expect([memory.members, memory.memberBytes]).toEqual([0, 0]);
  });

  it('share what all members know, however many ways there are', () => {
    const group = new Group('g', new GroupMemory());
    const join = (protocols: readonly string[]): number | undefined => {
      let error: number | undefined;
      group.join(
        {
          memberId: '',
          instanceId: null,
          protocolType: 'consumer',
          protocols: protocols.map((name) => ({ name, metadata: Buffer.alloc(0) })),
          sessionTimeout: 10_000,
          rebalanceTimeout: 1000,
          clientId: 'c',
          clientHost: '/h',
          asksForId: false,
        },
        (outcome) => {
          error = outcome.error;
        },
      );
      return error;
    };
    expect(join(['a', 'b', 'b'])).toBeUndefined();
    expect(join(['b', 'c'])).toBeUndefined();
    expect(join(['a', 'c'])).toBe(ERROR.INCONSISTENT_GROUP_PROTOCOL);
    expect(join(['c', 'b'])).toBeUndefined();
    expect(group.members.size).toBe(3);
    group.dissolve();
  });

  it('keep offsets of so many bytes, and forget those of topics that are gone', () => {
    const groups = new Groups();
    const group = groups.open('g');
    if (group === undefined) throw new Error('there is no room for a group');
    const committed = { offset: 1, leaderEpoch: 0, metadata: 'x'.repeat(4000) };
    let taken = 0;
    while (groups.commit(group, taken % 2 === 0 ? 'a' : 'b', taken, committed)) taken += 1;
    expect(taken).toBe(Math.floor((64 * 1024 * 1024) / 4100));
    groups.forgetTopic('a');
    expect(group.offsets.get('a', 0)).toBeUndefined();
    expect(groups.commit(group, 'c', 0, committed)).toBe(true);
    // One that is replaced costs nothing more.
    expect(group.offsets.commit('c', 0, committed)).toBe(0);
    groups.dissolve();
  });

  it('commit and tell the offsets of many partitions', async () => {
    const { port } = await startHost({ topics: [{ name: 'wide', partitions: 1000 }] });
    const client = await RawClient.connect(port);
    const partitions = numbers(1000).map((partitionIndex) => ({
      partitionIndex,
      committedOffset: partitionIndex,
      committedMetadata: 'some remark',
    }));
    await client.call(offsetCommit, 7, { groupId: 'g', topics: [{ name: 'wide', partitions }] });
    const { topics } = await client.call(offsetFetch, 5, { groupId: 'g', topics: null });
    expect(topics[0]?.partitions.map(({ committedOffset }) => committedOffset)).toEqual(numbers(1000));
  });
});
