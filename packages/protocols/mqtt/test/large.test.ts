import net from 'node:net';
import { nextTurn, turns } from '@backlot/core/plugin';
import { eventually } from '@backlot/conformance';
import { describe, expect, it, jest } from '@jest/globals';
import { BrokerSide } from '../src/broker/broker-side.js';
import { Emitter, type EmitListener } from '../src/broker/emitter.js';
import { RetainedStream } from '../src/broker/retained-stream.js';
import { TopicTree } from '../src/broker/topic-tree.js';
import { GrantedSubscriptions } from '../src/session/granted-subscriptions.js';
import { filterTakes } from '../src/wire/topic.js';
import { connect, startHost } from './support.js';

function gather<T>(tree: TopicTree<T>, filters: readonly string[]): T[] {
  const found: T[] = [];
  for (const value of tree.match(filters)) if (value !== undefined) found.push(value);
  return found;
}

describe('the tree of retained topics', () => {
  it('gives what some filter takes, once, and agrees with the filters one by one', () => {
    const levels = ['a', 'b', '', '$x'];
    let seed = 5;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const make = (extra: readonly string[]): string =>
      Array.from(
        { length: random(4) + 1 },
        () => [...levels, ...extra][random(levels.length + extra.length)],
      ).join('/');
    const topics = new Set(Array.from({ length: 200 }, () => make([])));
    const tree = new TopicTree<string>();
    for (const topic of topics) tree.set(topic, topic);
    for (let count = 0; count < 200; count += 1) {
      const filters = Array.from(
        { length: random(3) + 1 },
        () => make(['+', '+']) + (random(3) === 0 ? '/#' : ''),
      );
      if (random(20) === 0) filters.push('#');
      const expected = [...topics].filter((topic) => filters.some((filter) => filterTakes(filter, topic)));
      expect(gather(tree, filters).sort()).toEqual(expected.sort());
    }
  });

  it('looks only at levels that some filter can take, once for all filters', () => {
    const cost = (topics: number, filters: readonly string[]): number => {
      const tree = new TopicTree<number>();
      for (let n = 0; n < topics; n += 1) tree.set(`site/${n % 10}/${n}/on`, n);
      gather(tree, filters);
      return tree.looks;
    };
    const exact = Array.from({ length: 500 }, (_, n) => `site/${n % 10}/${n}/on`);
    expect(cost(20_000, exact)).toBe(cost(2000, exact));
    // Five hundred filters that all have to look everywhere cost what one of them costs.
    const wide = Array.from({ length: 500 }, (_, n) => `site/+/+/off${n}`);
    expect(cost(2000, wide)).toBeLessThan(1.1 * cost(2000, wide.slice(0, 1)));
  });

  it('counts the levels it holds, and none when it is empty', () => {
    const tree = new TopicTree<number>();
    const places = ['a/b/c', 'a/b', 'a/x'].map((topic, index) => tree.set(topic, index));
    expect(tree.levels).toBe(4);
    for (const place of places) tree.remove(place);
    expect([tree.levels, gather(tree, ['#'])]).toEqual([0, []]);
  });

  it('lets others in while it looks', () => {
    const tree = new TopicTree<number>();
    for (let n = 0; n < 10_000; n += 1) tree.set(`a/${n}/b`, n);
    const steps = [...tree.match(['+/+/c'])];
    expect(steps.filter((step) => step === undefined).length).toBeGreaterThan(50);
  });
});

describe('retained messages', () => {
  it('are sent no faster than the client takes them', async () => {
    let isFull = false;
    let changed: (() => void) | undefined;
    const flow = {
      get isFull() {
        return isFull;
      },
      isOver: false,
      onceChanged: (callback: () => void) => {
        changed = callback;
      },
    };
    let taken = 0;
    const packets = Array.from({ length: 1000 }, (_, n) => ({ cmd: 'publish', topic: `${n}` })).values();
    const stream = new RetainedStream(packets, flow);
    stream.on('data', () => {
      taken += 1;
      if (taken === 100) isFull = true;
    });
    await eventually(() => changed !== undefined);
    const before = taken;
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(taken).toBe(before);
    expect(before).toBeLessThan(200);
    isFull = false;
    changed?.();
    await eventually(() => taken === 1000);
  });

  it('reach a client that reads slowly, all of them, and others are served meanwhile', async () => {
    const { port } = await startHost();
    const writer = await connect(port);
    const payload = 'x'.repeat(20_000);
    // Together more than may wait for a client.
    for (let n = 0; n < 1200; n += 1) writer.mqtt.publish(`kept/${n}`, payload, { retain: true });
    await writer.mqtt.publishAsync('last', '', { qos: 1 });
    const reader = net.connect({ port, host: '127.0.0.1' });
    let read = 0;
    let isPaused = false;
    reader.on('data', (chunk) => {
      if (!isPaused && read + chunk.length >= 9) {
        reader.pause();
        isPaused = true;
      }
      read += chunk.length;
    });
    const filter = Buffer.from('kept/#').toString('hex');
    reader.write(Buffer.from(`100d00044d51545404020000000162820b00010006${filter}00`, 'hex'));
    await eventually(() => isPaused);
    for (let n = 0; n < 20; n += 1) await writer.mqtt.publishAsync('others', 'x', { qos: 1 });
    reader.resume();
    await eventually(() => read >= 1200 * 20_000 || reader.destroyed);
    expect(reader.destroyed).toBe(false);
    reader.destroy();
  });

  it('come once for a SUBSCRIBE whose filters overlap', async () => {
    const { port } = await startHost();
    const client = await connect(port);
    await client.mqtt.publishAsync('a/b', 'x', { retain: true, qos: 1 });
    await client.mqtt.subscribeAsync(['a/b', 'a/+', '#']);
    await client.mqtt.publishAsync('end', 'x', { qos: 1 });
    expect(await client.receives(2)).toEqual(['a/b x', 'end x']);
  });
});

describe('many subscriptions', () => {
  it.each([4, 5] as const)(
    'of one packet are granted in parts, in order, and cancelled (%s)',
    async (version) => {
      const { port, host } = await startHost();
      const client = await connect(port, { protocolVersion: version, clientId: 'many', clean: false });
      await client.mqtt.publishAsync('a/700', 'kept', { retain: true, qos: 1 });
      const filters = Array.from({ length: 1000 }, (_, n) => `a/${n}`);
      filters[500] = 'a/'.repeat(101);
      const granted = await new Promise<readonly number[]>((resolve) => {
        client.mqtt.on('packetreceive', (packet) => {
          if (packet.cmd === 'suback') resolve(packet.granted as number[]);
        });
        client.mqtt.subscribe(filters, { qos: 1 }, () => undefined);
      });
      expect(granted).toHaveLength(1000);
      expect(granted.findIndex((code) => code >= 0x80)).toBe(500);
      await client.mqtt.publishAsync('a/999', 'x', { qos: 1 });
      await eventually(() => client.received.length === 2);
      expect([...client.texts].sort()).toEqual(['a/700 kept', 'a/999 x']);
      await eventually(() => host.journal.count({ protocol: 'mqtt' }).count >= 1000);
      await client.mqtt.unsubscribeAsync(filters.slice(0, 999).filter((filter) => filter.length < 10));
      await client.mqtt.publishAsync('a/1', 'gone', { qos: 1 });
      await client.mqtt.publishAsync('a/999', 'there', { qos: 1 });
      expect((await client.receives(3)).at(-1)).toBe('a/999 there');
    },
  );

  it('cost a message nothing where its QoS is found', () => {
    const granted = new GrantedSubscriptions();
    const options = { noLocal: false, keepsRetain: false };
    const limit = (topic: string): number => granted.receive(topic, 2, false).qos;
    for (let n = 0; n < 10_000; n += 1) granted.set(`a/${n}/+`, { ...options, qos: n % 3 });
    expect([0, 1, 2].map((n) => limit(`a/${n}/x`))).toEqual([0, 1, 2]);
    expect(limit('b')).toBe(2);
    granted.set('#', { ...options, qos: 1 });
    expect([limit('a/0/x'), limit('b')]).toEqual([1, 1]);
    granted.delete('#');
    expect(limit('a/0/x')).toBe(0);
    expect([granted.takeAlike(0), granted.takeAlike(1)]).toEqual([true, false]);
  });

  it('of one client stop at their bounds', async () => {
    const { port } = await startHost();
    const client = await connect(port, { protocolVersion: 5 });
    const long = 'x'.repeat(60_000);
    const filters = Array.from({ length: 100 }, (_, n) => `${long}/${n}`);
    const codes: number[] = [];
    client.mqtt.on('packetreceive', (packet) => {
      if (packet.cmd === 'suback') codes.push(...(packet.granted as number[]));
    });
    client.mqtt.subscribe(filters, { qos: 0 }, () => undefined);
    await eventually(() => codes.length === 100);
    expect(codes.slice(0, 69).every((code) => code === 0)).toBe(true);
    expect(codes.slice(70).every((code) => code === 0x97)).toBe(true);
  });
});

describe('the emitter', () => {
  it('hands a message to so many in a turn, and keeps the order of messages for each', async () => {
    const emitter = new Emitter();
    const got: string[][] = Array.from({ length: 5000 }, () => []);
    const listeners = got.map((list): EmitListener => ({ topic }, done) => {
      list.push(topic);
      done();
    });
    for (const listener of listeners) emitter.on('+', listener);
    const done: string[] = [];
    for (const topic of ['a', 'b', 'c']) emitter.emit({ topic, payload: '' }, () => done.push(topic));
    const counts = [got.flat().length];
    while (done.length < 3) {
      await nextTurn();
      counts.push(got.flat().length);
    }
    expect(counts[0]).toBeLessThan(1000);
    for (const [index, count] of counts.entries())
      expect(count - (counts[index - 1] ?? 0)).toBeLessThan(2000);
    expect(got.every((list) => list.join('') === 'abc')).toBe(true);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('counts a receiver once in a turn, beside its messages', () => {
    const countHanded = (receivers: number, messages: number): number => {
      const emitter = new Emitter();
      let got = 0;
      for (let n = 0; n < receivers; n += 1)
        emitter.on('a', (_message, done) => {
          got += 1;
          done();
        });
      for (let n = 0; n < messages; n += 1) emitter.emit({ topic: 'a', payload: '' });
      emitter.close(() => undefined);
      return got;
    };
    const areOver = jest.spyOn(turns, 'areOver').mockReturnValue(false);
    const handed = [countHanded(2000, 1), countHanded(1, 2000), countHanded(64, 32)];
    areOver.mockRestore();
    expect(handed).toEqual([128, 509, 320]);
  });

  it('lets others in when handing it to a few takes long', async () => {
    const emitter = new Emitter();
    const turnOf: number[] = [];
    let [turn, isOver] = [0, false];
    for (let n = 0; n < 64; n += 1)
      emitter.on('a', (_message, done) => {
        for (const end = performance.now() + 1; performance.now() < end;);
        turnOf.push(turn);
        done();
      });
    emitter.emit({ topic: 'a', payload: '' }, () => (isOver = true));
    while (!isOver) {
      await nextTurn();
      turn += 1;
    }
    expect(turnOf).toHaveLength(64);
    for (const each of new Set(turnOf))
      expect(turnOf.filter((one) => one === each).length).toBeLessThanOrEqual(32);
    emitter.close(() => undefined);
  });

  it('counts large messages for more', () => {
    const emitter = new Emitter();
    let got = 0;
    for (let n = 0; n < 100; n += 1)
      emitter.on('a', (_message, done) => {
        got += 1;
        done();
      });
    emitter.emit({ topic: 'a', payload: Buffer.alloc(1024 * 1024) });
    expect(got).toBeLessThan(20);
    emitter.close(() => undefined);
  });
});

it('a client that is lost has left the broker when the step of its leaving is over', async () => {
  const { port, kind } = await startHost();
  const watcher = await connect(port);
  await watcher.mqtt.subscribeAsync('gone');
  const destroyed: boolean[] = [];
  const destroy = jest.spyOn(BrokerSide.prototype, 'destroy').mockImplementation(function (this: BrokerSide) {
    // aedes notes its client at the stream that it was given.
    destroyed.push((this as unknown as { client: { closed: boolean } }).client.closed);
    return this;
  });
  const will = { topic: 'gone', payload: Buffer.from('bye'), qos: 0, retain: false } as const;
  for (let n = 0; n < 20; n += 1) (await connect(port, { will })).mqtt.stream.destroy();
  await watcher.receives(20);
  await eventually(() => kind.connections.list().length === 1);
  destroy.mockRestore();
  expect(destroyed.length).toBeGreaterThanOrEqual(20);
  expect(destroyed).not.toContain(false);
});

it('a member of a group that has subscribed to the topic as well gets every message of both', async () => {
  const { port } = await startHost();
  const client = await connect(port);
  await client.mqtt.subscribeAsync(['$share/g/a', 'a', '$share/h/a']);
  const writer = await connect(port);
  for (let n = 0; n < 50; n += 1) writer.mqtt.publish('a', `${n}`);
  await client.receives(150);
  for (let n = 0; n < 50; n += 1) expect(client.texts.filter((text) => text === `a ${n}`)).toHaveLength(3);
});
