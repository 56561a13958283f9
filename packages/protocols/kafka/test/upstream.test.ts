import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { ByteReader, ByteWriter } from '@backlot/kit/framing';
import { rewriteAnswer } from '../src/upstream/addresses.js';
import type { Api } from '../src/wire/api.js';
import { apiVersions } from '../src/wire/apis/api-versions.js';
import { describeCluster } from '../src/wire/apis/describe-cluster.js';
import { findCoordinator } from '../src/wire/apis/find-coordinator.js';
import { metadata } from '../src/wire/apis/metadata.js';
import { readMessage, skipTags } from '../src/wire/read-message.js';
import { writeMessage } from '../src/wire/write-message.js';
import { connectKafkaJs, startConsumer, startHost, startProducer, type Running } from './support.js';

const through = (port: number, more: object = {}): Promise<Running> =>
  startHost({ upstream: { url: `tcp://127.0.0.1:${port}`, mode: 'passthrough' }, ...more });

describe('an upstream of Kafka', () => {
  it('gives kafkajs all it does, without the address of the broker', async () => {
    const real = await startHost({ topics: [{ name: 'orders' }] });
    const near = await through(real.port);
    const client = connectKafkaJs(near);
    const admin = client.admin();
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    expect(brokers.map(({ port }) => port)).toEqual([near.port]);
    await admin.disconnect();
    const producer = await startProducer(client);
    await producer.send({
      topic: 'orders',
      messages: [
        { key: '7', value: '{"id":7,"password":"hunter2"}', headers: { 'api-token': 'abc', trace: 'x' } },
      ],
    });
    const { messages } = await startConsumer(client, 'readers', ['orders']);
    await eventually(() => messages.length === 1 && near.host.journal.list().length === 2);
    expect(messages.map(({ value }) => value?.toString())).toEqual(['{"id":7,"password":"hunter2"}']);
    const entries = near.host.journal.list();
    expect(entries.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PRODUCE orders',
      'FETCH orders',
    ]);
    expect(entries[0]).toMatchObject({
      body: '{"id":7,"password":"REDACTED"}',
      query: { key: '7', partition: '0' },
      headers: { 'api-token': 'REDACTED', trace: 'x' },
      response: { status: 'NONE' },
      upstream: { answered: true },
    });
    // Its clients came to Backlot alone.
    expect(real.host.journal.list()).toHaveLength(1);
  });

  it('warns of a fault that does not act on what passes', async () => {
    const real = await startHost();
    const { host, log } = await through(real.port);
    expect(log).toEqual([]);
    host.faults.set('kafka', { phase: 'connect' });
    expect(log).toEqual([]);
    host.faults.set('kafka', { error_code: 7 });
    expect(log).toEqual([
      expect.stringMatching(/^warn: the fault does not act on records, which pass to tcp:/),
    ]);
  });

  itWithTool('kcat', 'has a listener for each further broker, to which kcat comes', async () => {
    const second = await startHost({ topics: [{ name: 'news' }] });
    const first = await startHost({
      advertised_host: `127.0.0.1:${second.port}`,
      topics: [{ name: 'news' }],
    });
    const near = await through(first.port);
    const run = (line: string) => runTool('sh', ['-c', line.replaceAll('$B', near.address)]);
    const { out } = await run('timeout 20 kcat -b $B -L');
    const port = Number(/broker 1 at 127\.0\.0\.1:(\d+)/.exec(out)?.[1]);
    expect([first.port, second.port, near.port]).not.toContain(port);
    for (const codec of ['none', 'snappy', 'zstd'])
      expect(
        (await run(`printf 'k:${codec}\\n' | timeout 20 kcat -b $B -P -t news -K : -z ${codec}`)).code,
      ).toBe(0);
    const read = await run('timeout 20 kcat -b $B -C -t news -e -q');
    expect(read.out).toBe('none\nsnappy\nzstd\n');
    expect(second.host.journal.list()).toHaveLength(3);
    expect(first.host.journal.list()).toEqual([]);
    await eventually(() => near.host.journal.list().length === 6);
    expect(near.host.journal.list().map(({ method, body }) => `${method} ${String(body)}`)).toEqual([
      ...['PRODUCE none', 'PRODUCE snappy', 'PRODUCE zstd', 'FETCH none', 'FETCH snappy', 'FETCH zstd'],
    ]);
    expect(near.kind.service?.status?.().beside).toEqual([
      { name: 'kafka-node-1', address: { host: '127.0.0.1', port }, url: `127.0.0.1:${port}` },
    ]);
  });

  it('replaces the addresses in every version of the answers that have some', async () => {
    const brokers = [
      { nodeId: 1, brokerId: 1, host: 'one.example', port: 9092, rack: 'a' },
      { nodeId: 2, brokerId: 2, host: 'two.example', port: 9093, rack: null },
    ];
    const coordinators = [{ key: 'g', nodeId: 2, host: 'two.example', port: 9093 }];
    const answers = [
      [metadata, { brokers, topics: [], controllerId: 1 }],
      [describeCluster, { brokers, clusterId: 'c' }],
      [findCoordinator, { nodeId: 2, host: 'two.example', port: 9093, coordinators }],
    ] as const;
    for (const [api, answer] of answers)
      for (let version = api.min; version <= api.max; version += 1) {
        const frame = encode(api, version, answer);
        const rewritten = await rewriteAnswer(frame, api.key, version, (host, port) =>
          Promise.resolve({ host: 'localhost', port: port + (host === 'two.example' ? 2000 : 1000) }),
        );
        const text = JSON.stringify(decode(api, version, rewritten));
        expect([api.name, version, text]).not.toEqual([
          api.name,
          version,
          expect.stringContaining('example'),
        ]);
        expect([api.name, version, text]).toEqual([api.name, version, expect.stringContaining('11093')]);
      }
    await expect(
      rewriteAnswer(Buffer.alloc(12), metadata.key, 13, () => Promise.reject(new Error('unused'))),
    ).rejects.toThrow('Metadata of version 13, whose addresses cannot be replaced; up to 12 they are');
  });

  it('tells clients of no version whose addresses it cannot replace', async () => {
    // As Apache Kafka 4 tells.
    const apiKeys = [
      { apiKey: 0, minVersion: 0, maxVersion: 12 },
      { apiKey: 1, minVersion: 4, maxVersion: 17 },
      { apiKey: 3, minVersion: 0, maxVersion: 13 },
      { apiKey: 11, minVersion: 0, maxVersion: 9 },
      { apiKey: 78, minVersion: 1, maxVersion: 1 },
    ];
    const frame = encode(apiVersions, 3, { apiKeys });
    const rewritten = await rewriteAnswer(frame, apiVersions.key, 3, () =>
      Promise.reject(new Error('unused')),
    );
    expect(decode(apiVersions, 3, rewritten)).toMatchObject({
      apiKeys: [
        { apiKey: 0, maxVersion: 9 },
        { apiKey: 1, maxVersion: 13 },
        { apiKey: 3, maxVersion: 12 },
        { apiKey: 11, maxVersion: 9 },
      ],
    });
  });
});

function encode(api: Api, version: number, answer: object): Buffer {
  const isFlexible = version >= api.flexible;
  const writer = new ByteWriter(256).u32(0).i32(7);
  if (isFlexible && api.key !== apiVersions.key) writer.u8(0);
  writeMessage(api.response, answer, writer, version, isFlexible);
  return Buffer.from(writer.setU32(0, writer.length - 4).finish());
}

function decode(api: Api, version: number, frame: Buffer): unknown {
  const isFlexible = version >= api.flexible;
  const reader = new ByteReader(frame, 8);
  if (isFlexible && api.key !== apiVersions.key) skipTags(reader);
  const answer = readMessage(api.response, reader, version, isFlexible);
  expect(reader.remaining).toBe(0);
  return answer;
}
