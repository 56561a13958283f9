import { describe, expect, it } from '@jest/globals';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { checkJetStream } from '../src/jetstream/configured.js';
import { MAX_CONSUMERS_OF_STREAM, MAX_MESSAGES, MAX_STREAMS } from '../src/jetstream/surroundings.js';
import { StreamBench } from './jetstream-units.js';
import { connect3, startHost } from './support.js';

async function start(settings: object | true = true) {
  const running = await startHost({ jetstream: settings });
  const client = await connect3(running.port);
  return { ...running, client, js: jetstream(client), manager: await jetstreamManager(client) };
}

describe('a push consumer with a group', () => {
  it('delivers each message to one of its members', async () => {
    const { js, manager, client, port } = await start();
    await manager.streams.add({ name: 's', subjects: ['s'] });
    const other = await connect3(port);
    const got: string[][] = [[], []];
    let arrived: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (arrived = resolve));
    [client, other].forEach((member, index) =>
      member.subscribe('to', {
        queue: 'g',
        callback: (_, message) => {
          got[index]?.push(message.string());
          if (got.flat().length === 40) arrived();
        },
      }),
    );
    await Promise.all([client.flush(), other.flush()]);
    await manager.consumers.add('s', {
      durable_name: 'c',
      ack_policy: AckPolicy.None,
      deliver_subject: 'to',
      deliver_group: 'g',
    });
    for (let n = 0; n < 40; n += 1) await js.publish('s', String(n));
    await all;
    expect(
      got
        .flat()
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(got.every(({ length }) => length > 0)).toBe(true);
  });
});

describe('buckets', () => {
  it('let values go by their ttl', async () => {
    const { client, host } = await start({ buckets: [{ name: 'configured', ttl: '1h' }] });
    const made = await new Kvm(client).create('made', { ttl: 60_000 });
    const configured = await new Kvm(client).open('configured');
    await made.put('a', '1');
    await configured.put('a', '1');
    await host.clock.advance(61_000);
    expect(await made.get('a')).toBeNull();
    expect((await configured.get('a'))?.string()).toBe('1');
    await host.clock.advance(3_600_000);
    expect(await configured.get('a')).toBeNull();
  });

  it('tell who watches objects', async () => {
    const { client } = await start();
    const objects = await new Objm(client).create('files');
    await objects.putBlob({ name: 'a' }, new Uint8Array([1]));
    const seen: string[] = [];
    for await (const info of await objects.watch({ includeHistory: true })) {
      if (info === null) continue;
      seen.push(`${info.name} ${info.deleted}`);
      if (seen.length === 1) await objects.putBlob({ name: 'b' }, new Uint8Array([2]));
      if (seen.length === 2) await objects.delete('a');
      if (seen.length === 3) break;
    }
    expect(seen).toEqual(['a false', 'b false', 'a true']);
  });
});

describe('the configuration', () => {
  it.each([
    [{ streams: [{ name: 'a.b' }] }, 'stream name is required'],
    [{ streams: [{ name: 'a' }, { name: 'a', subjects: ['b'] }] }, 'there is a stream "a" already'],
    [
      {
        streams: [
          { name: 'a', subjects: ['x.>'] },
          { name: 'b', subjects: ['x.y'] },
        ],
      },
      'overlap',
    ],
    [{ streams: [{ name: 'a', subjects: ['$KV.k.>'] }], buckets: [{ name: 'k' }] }, 'overlap'],
    [{ streams: [{ name: 'a', max_age: '1ms' }] }, 'max age needs to be >= 100ms'],
    [{ streams: [{ name: 'a', deny_purge: true, allow_rollup_hdrs: true }] }, 'purge permission'],
  ])('is refused: %j', (config, problem) => {
    expect(() => checkJetStream(config as never)).toThrow(problem);
  });

  it('that is bad keeps the server from starting', async () => {
    await expect(start({ streams: [{ name: 'a', max_msgs: -2 }] })).rejects.toThrow('max_msgs');
  });
});

describe('bounds', () => {
  it('of messages and bytes of all streams', async () => {
    const bench = new StreamBench();
    for (let n = 0; n < MAX_MESSAGES; n += 1) bench.publish('s.1', '');
    expect(() => bench.publish('s.1')).toThrow('insufficient resources');
    const { js, manager } = await start({ max_bytes: 1024 });
    await manager.streams.add({ name: 's', subjects: ['s'] });
    await js.publish('s', 'x'.repeat(800));
    await expect(js.publish('s', 'x'.repeat(300))).rejects.toThrow('insufficient resources');
  });

  it('of streams, and of the subjects of one', () => {
    const { streamApi } = new StreamBench();
    const make = (name: string, subjects: readonly string[]) =>
      streamApi.create(name, Buffer.from(JSON.stringify({ name, subjects })));
    const many = Array.from({ length: 1_001 }, (_, n) => `t.${n}`);
    expect(() => make('many', many)).toThrow('a stream has 1000 subjects at most');
    for (let n = 1; n < MAX_STREAMS; n += 1) make(`s${n}`, [`x${n}`]);
    expect(() => make('more', ['more'])).toThrow('maximum number of streams reached');
  });

  it('of consumers of a stream', () => {
    const bench = new StreamBench();
    for (let n = 0; n < MAX_CONSUMERS_OF_STREAM; n += 1) bench.consumer(`c${n}`);
    expect(() => bench.consumer('more')).toThrow('maximum consumers limit reached');
  });
});
