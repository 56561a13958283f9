import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Host, Json } from '@backlot/core';
import { fetch } from '../src/wire/apis/fetch.js';
import { listOffsets } from '../src/wire/apis/list-offsets.js';
import { metadata } from '../src/wire/apis/metadata.js';
import { produce } from '../src/wire/apis/produce.js';
import { ERROR } from '../src/wire/errors.js';
import { makeBatch, type NewRecord } from '../src/wire/batch.js';
import { partitionOf } from '../src/wire/murmur2.js';
import { RawClient, startHost, valuesOf } from './support.js';

async function connect(settings: Json = {}) {
  const running = await startHost(settings);
  const client = await RawClient.connect(running.port);
  const mocks = running.host.kind('kafka').mocks;
  return { ...running, client, mocks };
}

/** The values of a partition. */
async function read(client: RawClient, topic: string, partition = 0): Promise<(string | undefined)[]> {
  return valuesOf(await fetched(client, topic, partition));
}

/** The batches of a partition. */
async function fetched(client: RawClient, topic: string, partition = 0): Promise<Buffer | null> {
  const partitions = [{ partition, fetchOffset: 0, partitionMaxBytes: 1_000_000 }];
  const { responses } = await client.call(fetch, 11, {
    maxBytes: 1_000_000,
    topics: [{ topic, partitions }],
  });
  return responses[0]?.partitions[0]?.records ?? null;
}

async function send(client: RawClient, topic: string, record: Partial<NewRecord>, index = 0) {
  await client.call(metadata, 4, { topics: [{ name: topic }], allowAutoTopicCreation: true });
  const { bytes } = makeBatch([{ key: null, value: null, headers: [], ...record }], 1_700_000_000_000);
  const topicData = [{ name: topic, partitionData: [{ index, records: [bytes] }] }];
  const { responses } = await client.call(produce, 7, { acks: 1, topicData });
  return responses[0]?.partitionResponses[0]?.errorCode;
}

const topicsOf = async (client: RawClient) => {
  const { topics } = await client.call(metadata, 4, { topics: null });
  return Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]));
};

const captured = (host: Host): readonly Json[] =>
  JSON.parse(JSON.stringify(host.kind('kafka').captures?.values())) as Json[];

describe('the records of a mock', () => {
  it('are there from the start, by configuration, in mock order', async () => {
    const { client } = await connect({
      topics: [{ name: 'two', partitions: 2 }],
      mocks: [
        { topic: 'log', records: [{ value: 'a' }] },
        { topic: '*', records: [{ value: 'any' }] },
        { topic: 'log', priority: 1, records: [{ value: 'first' }] },
        { topic: 'empty' },
      ],
    });
    expect(await topicsOf(client)).toEqual({ two: 2, log: 1, empty: 1 });
    expect(await read(client, 'log')).toEqual(['first', 'a', 'any']);
    expect(await read(client, 'empty')).toEqual(['any']);
  });

  it('go into the partition of their key, the one they name, or one after the other', async () => {
    const key = 'some key';
    const { client } = await connect({
      topics: [{ name: 'wide', partitions: 3 }],
      mocks: [
        {
          topic: 'wide',
          records: [
            { key, value: 'keyed' },
            { value: 'named', partition: 4 },
            { value: 'x' },
            { value: 'y' },
          ],
        },
      ],
    });
    expect(await topicsOf(client)).toEqual({ wide: 5 });
    expect(await read(client, 'wide', partitionOf(Buffer.from(key), 3))).toContain('keyed');
    expect(await read(client, 'wide', 4)).toEqual(['named']);
    expect(await read(client, 'wide', 0)).toContain('x');
    expect(await read(client, 'wide', 1)).toContain('y');
  });

  it('are appended when the mock is made or replaced later, and a topic is never rewritten', async () => {
    const { client, mocks, host } = await connect({
      mocks: [{ id: 'm', topic: 'log', records: [{ value: '1' }] }],
    });
    mocks.replace('m', { topic: 'log', records: [{ value: '2' }] });
    mocks.create({ id: 'n', topic: 're:^l', records: [{ value: '3' }] });
    mocks.remove('n');
    mocks.create({ id: 'n', topic: 're:^l', records: [{ value: '3' }] });
    expect(await read(client, 'log')).toEqual(['1', '2', '3', '3']);
    host.scenarios.create({ id: 's', patches: [{ mock_id: 'm', delay: '1s' }] });
    host.scenarios.activate('s');
    host.scenarios.deactivate('s');
    expect(await read(client, 'log')).toHaveLength(4);
    host.reset();
    expect(await read(client, 'log')).toEqual(['1']);
  });

  it('come with every topic that comes to be, also a second time', async () => {
    const { client } = await connect({ mocks: [{ topic: 'auto*', records: [{ value: 'v' }] }] });
    await client.call(metadata, 4, { topics: [{ name: 'auto1' }], allowAutoTopicCreation: true });
    expect(await read(client, 'auto1')).toEqual(['v']);
  });

  it('wait for the state of their mock', async () => {
    const { client, host } = await connect({
      mocks: [{ topic: 'log', records: [{ value: 'on' }], state: { key: 'k', value: 'on' } }],
    });
    await client.call(metadata, 4, { topics: [{ name: 'log' }], allowAutoTopicCreation: true });
    expect(await read(client, 'log')).toEqual([]);
    host.state.setAll({ k: 'on' });
    host.state.setAll({ k: 'off' });
    host.state.setAll({ k: 'on' });
    expect(await read(client, 'log')).toEqual(['on']);
  });

  it('are templates, bytes or null', async () => {
    const { client } = await connect({
      mocks: [
        {
          topic: 'log',
          records: [
            { value: '{{seq "n"}}' },
            { value: '{{seq "n"}}' },
            { value: '/w==', value_encoding: 'base64' },
            { key: 'k' },
          ],
        },
      ],
    });
    expect(await read(client, 'log')).toEqual(['1', '2', '\uFFFD', undefined]);
  });

  it('do not match what arrives, unless the mock has something to do with it', async () => {
    const { client, mocks, host } = await connect({
      mocks: [
        { id: 'data', topic: 'in', records: [{ value: 'seed' }] },
        { id: 'answer', topic: 'in', response: { topic: 'out', value: 'got {{request.raw_body}}' } },
      ],
    });
    await send(client, 'in', { value: Buffer.from('v') });
    expect(await read(client, 'out')).toEqual(['got v']);
    mocks.replace('data', { topic: 'in', records: [], set_state: { seen: 'yes' } });
    await send(client, 'in', { value: Buffer.from('v') });
    expect(host.state.all()).toEqual({ seen: 'yes' });
  });
});

describe('a response', () => {
  it('has what expressions for topic, key, headers and value have captured', async () => {
    const value =
      '{{request.params.region}} {{request.params.id}} {{request.params.what}} {{request.params.trace}}';
    const { client } = await connect({
      mocks: [
        {
          topic: 're:^orders-(?<region>\\w+)$',
          key: 're:^(?<id>\\d+)$',
          headers: { trace: 're:^t-(?<trace>.*)$' },
          value: { all_of: [{ regex: '^(?<what>made|paid)$' }, { not: 're:(?<what>x)' }] },
          response: { topic: 'out', value },
        },
      ],
    });
    await send(client, 'orders-eu', {
      key: Buffer.from('7'),
      value: Buffer.from('paid'),
      headers: [['trace', Buffer.from('t-1')]],
    });
    expect(await read(client, 'out')).toEqual(['eu 7 paid 1']);
  });

  it('gives back the bytes that came, as value, key and header', async () => {
    const raw = '{{request.raw_body}}';
    const { client } = await connect({
      mocks: [{ topic: 'in', response: { topic: 'out', value: raw, key: raw, headers: { h: raw } } }],
    });
    const value = Buffer.from([0, 0xff, 13, 10, 0xfe]);
    await send(client, 'in', { value });
    const bytes = await fetched(client, 'out');
    // Three times as they came: mangled to text they would be longer.
    expect(bytes?.toString('latin1').split(value.toString('latin1'))).toHaveLength(4);
  });

  it('is made of the record, matched by topic, key and value', async () => {
    const { client } = await connect({
      mocks: [
        {
          topic: 'orders',
          key: 're:^o',
          value: { contains: '"pay"' },
          response: {
            topic: '{{request.topic}}.done',
            key: '{{request.key}}',
            value: '{"id":{{request.body.id}},"from":"{{request.headers.source}}","p":{{request.partition}}}',
            headers: { trace: '{{request.headers.trace}}', many: ['1', '2'] },
          },
        },
      ],
    });
    const value = Buffer.from('{"id":7,"do":"pay"}');
    const headers: NewRecord['headers'] = [
      ['Source', Buffer.from('web')],
      ['trace', Buffer.from('t1')],
    ];
    await send(client, 'orders', { key: Buffer.from('o1'), value, headers });
    await send(client, 'orders', { key: Buffer.from('x1'), value, headers });
    await send(client, 'orders', { value, headers });
    await send(client, 'orders', { key: Buffer.from('o2'), value: Buffer.from('{}') });
    expect(await read(client, 'orders.done')).toEqual(['{"id":7,"from":"web","p":0}']);
  });

  it('asks for headers, and for what is in keys and values that are JSON', async () => {
    const response = { topic: 'done', value: '{{request.key}}' };
    const { client, host } = await connect({
      mocks: [
        {
          id: 'paid',
          topic: 'orders',
          key: { json_path: { path: '$.shop', is: 'b*' } },
          value: { json: { partial: { items: [{ id: 2 }] } } },
          headers: { Source: 'web', trace: { absent: true } },
          response,
        },
      ],
    });
    const key = Buffer.from('{"shop":"bonn"}');
    const value = Buffer.from('{"items":[{"id":1},{"id":2,"n":3}]}');
    const headers: NewRecord['headers'] = [['source', Buffer.from('web')]];
    await send(client, 'orders', { key, value, headers });
    await send(client, 'orders', { key: Buffer.from('{"shop":"ulm"}'), value, headers });
    await send(client, 'orders', { key, value: Buffer.from('{"items":[]}'), headers });
    await send(client, 'orders', { key, value });
    expect(await read(client, 'done')).toEqual(['{"shop":"bonn"}']);
    const entry = {
      method: 'PRODUCE',
      path: 'orders',
      query: { key: String(key) },
      headers: { source: 'web' },
    };
    expect(host.kind('kafka').explain({ ...entry, body: '{"items":[{"id":3}]}' }).others).toEqual([
      { mock_id: 'paid', reason: 'value: at items[0].id got 3, want 2' },
    ]);
  });

  it('never triggers a mock', async () => {
    const { client, host } = await connect({
      mocks: [
        { id: 'a', topic: 'a', response: { topic: 'b', value: 'from a' } },
        { id: 'b', topic: 'b', response: { topic: 'a', value: 'from b' } },
      ],
    });
    await send(client, 'a', { value: Buffer.from('start') });
    expect(await read(client, 'a')).toEqual(['start']);
    expect(await read(client, 'b')).toEqual(['from a']);
    expect(host.kind('kafka').calls.of('b').count).toBe(0);
    expect(captured(host)).toHaveLength(1);
  });

  it('to a topic whose name comes out wrong is reported, and the record is stored', async () => {
    const { client, log, host } = await connect({
      mocks: [{ id: 'm', topic: 'in', response: { topic: 'to/{{request.key}}', value: 'x' } }],
    });
    expect(await send(client, 'in', { key: Buffer.from('k') })).toBe(ERROR.NONE);
    expect(log).toEqual([expect.stringContaining('"to/k" is not the name of a topic')]);
    expect(host.journal.list()[0]).toMatchObject({ status: 'INVALID_TOPIC_EXCEPTION' });
  });
});

describe('what is captured and journaled', () => {
  it('has exactly the fields', async () => {
    const { client, host } = await connect();
    const headers: NewRecord['headers'] = [
      ['h', Buffer.from('1')],
      ['__proto__', Buffer.from([255])],
      ['h', null],
    ];
    await send(client, 'in', { key: Buffer.from('k'), value: Buffer.from('{"a":1}'), headers });
    expect(captured(host)).toEqual([
      {
        id: expect.any(String),
        topic: 'in',
        partition: 0,
        offset: 0,
        key: 'k',
        value: '{"a":1}',
        headers: JSON.parse('{"h":["1",null],"__proto__":"/w=="}') as unknown,
        headers_encoding: JSON.parse('{"__proto__":"base64"}') as unknown,
        timestamp: '2023-11-14T22:13:20.000Z',
      },
    ]);
    expect(host.journal.list()).toMatchObject([
      { method: 'PRODUCE', path: 'in', query: { key: 'k', partition: '0' }, body: '{"a":1}', status: 'NONE' },
    ]);
    expect(captured(host)[0]?.['id']).toBe(captured(host)[0]?.['id']);
  });

  it('explains what would match', async () => {
    const { mocks, host } = await connect();
    mocks.create({ id: 'k', topic: 'in', key: 'a', response: { topic: 'out' } });
    mocks.create({ id: 'v', topic: 'in', value: 'b', response: { topic: 'out' } });
    const explained = host.kind('kafka').explain({ path: 'in', query: { key: 'a' }, body: 'c' });
    expect(explained).toMatchObject({
      outcome: 'matched',
      mock_id: 'k',
      others: [{ mock_id: 'v', reason: 'value: got "c", want "b"' }],
    });
    expect(host.kind('kafka').explain({ topic: 'in', key: 'a', value: 'c' })).toEqual(explained);
    expect(
      host.kind('kafka').explain({ key: 'a', query: { partition: 0 }, topic: 'in', value: 'c' }),
    ).toEqual(explained);
    expect(() => host.kind('kafka').explain('in a')).toThrow('no form in one line');
    expect(host.kind('kafka').explain({ path: 'in', body: 'c' }).others).toContainEqual({
      mock_id: 'k',
      reason: 'key: absent, want "a"',
    });
  });
});

describe('a fault', () => {
  it('refuses what is produced, stores nothing, and can be any error', async () => {
    const { client, host } = await connect({ mocks: [{ id: 'm', topic: 'in' }] });
    host.faults.set('kafka', {});
    expect(await send(client, 'in', { value: Buffer.from('x') })).toBe(ERROR.LEADER_NOT_AVAILABLE);
    host.faults.set('kafka', { error_code: 'NOT_ENOUGH_REPLICAS' });
    expect(await send(client, 'in', { value: Buffer.from('x') })).toBe(ERROR.NOT_ENOUGH_REPLICAS);
    host.faults.set('kafka', { error_code: 7 });
    expect(await send(client, 'in', { value: Buffer.from('x') })).toBe(ERROR.REQUEST_TIMED_OUT);
    host.faults.clear('kafka');
    expect(await read(client, 'in')).toEqual([]);
    expect(captured(host)).toEqual([]);
    expect(host.kind('kafka').calls.of('m').count).toBe(3);
    expect(() => host.faults.set('kafka', { error_code: 'NONSENSE' })).toThrow(/NONSENSE/);
    expect(() => host.faults.set('kafka', { error_code: 0 })).toThrow(/not an error/);
  });

  it('closes a connection that asked for no answer', async () => {
    const { client, host } = await connect({ topics: [{ name: 'in' }] });
    host.faults.set('kafka', {});
    const { bytes } = makeBatch([{ key: null, value: null, headers: [] }], 1);
    client.send(produce, 7, {
      acks: 0,
      topicData: [{ name: 'in', partitionData: [{ index: 0, records: [bytes] }] }],
    });
    await client.closed();
  });
});

describe('a delay', () => {
  it('keeps the answers of one connection in order and holds up no other', async () => {
    const { client, host, port } = await connect({ mocks: [{ id: 'slow', topic: 'slow', delay: '1h' }] });
    const other = await RawClient.connect(port);
    const slow = send(client, 'slow', { value: Buffer.from('x') });
    await eventually(() => host.kind('kafka').calls.of('slow').count === 1);
    const behind = client.send(listOffsets, 1, { topics: [] });
    expect(await send(other, 'fast', { value: Buffer.from('y') })).toBe(ERROR.NONE);
    expect(await read(other, 'slow')).toEqual([]);
    await host.clock.advance(3_600_000);
    expect(await slow).toBe(ERROR.NONE);
    expect((await client.frame())?.readInt32BE(0)).toBe(behind);
    expect(await read(other, 'slow')).toEqual(['x']);
  });

  it('of a client that leaves stores nothing', async () => {
    const { client, host, port } = await connect({ mocks: [{ id: 'slow', topic: 'slow', delay: '1h' }] });
    const sent = send(client, 'slow', { value: Buffer.from('x') });
    await eventually(() => host.kind('kafka').calls.of('slow').count === 1);
    client.socket.destroy();
    await expect(sent).rejects.toThrow(/closed/);
    await eventually(() => host.journal.list()[0]?.['aborted'] === true);
    await host.clock.advance(3_600_000);
    expect(await read(await RawClient.connect(port), 'slow')).toEqual([]);
  });
});

describe('a snapshot', () => {
  it('puts topics back as they were', async () => {
    const { client, host } = await connect();
    await send(client, 'in', { value: Buffer.from('kept') });
    const { id } = host.snapshots.create();
    await send(client, 'in', { value: Buffer.from('lost') });
    await send(client, 'new', { value: Buffer.from('lost') });
    host.snapshots.restore(id);
    expect(await topicsOf(client)).toEqual({ in: 1 });
    expect(await read(client, 'in')).toEqual(['kept']);
    await send(client, 'in', { value: Buffer.from('later') });
    host.snapshots.restore(id);
    expect(await read(client, 'in')).toEqual(['kept']);
  });
});

describe('the configuration', () => {
  it.each([
    [{ topics: [{ name: 'a/b' }] }, /a\/b/],
    [{ topics: [{ name: 'a' }, { name: 'a' }] }, /twice/],
    [{ topics: [{ name: 'a', partitions: 0 }] }, /partitions/],
  ])('%j is refused', async (settings, problem) => {
    await expect(startHost(settings)).rejects.toThrow(problem);
  });
});
