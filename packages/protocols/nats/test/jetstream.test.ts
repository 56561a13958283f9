import { describe, expect, it, jest } from '@jest/globals';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { consumerOpts } from 'nats';
import { Streams } from '../src/jetstream/streams.js';
import { connect2, connect3, startHost, type Running } from './support.js';

async function start(settings: object | true = true, mocks: readonly Record<string, never>[] = []) {
  const running: Running = await startHost({ jetstream: settings }, mocks);
  const client = await connect3(running.port);
  return { ...running, client, js: jetstream(client), manager: await jetstreamManager(client) };
}

describe('streams', () => {
  it('store what is published, and tell the publisher', async () => {
    const { js, manager, client } = await start();
    expect(client.info?.jetstream).toBe(true);
    const info = await manager.streams.add({ name: 'orders', subjects: ['orders.>'] });
    expect(info.config).toMatchObject({ retention: 'limits', max_msgs: -1, num_replicas: 1 });
    expect(await js.publish('orders.new', 'one')).toMatchObject({
      stream: 'orders',
      seq: 1,
      duplicate: false,
    });
    expect(await js.publish('orders.new', 'two', { msgID: 'a' })).toMatchObject({ seq: 2 });
    expect(await js.publish('orders.new', 'two', { msgID: 'a' })).toMatchObject({ seq: 2, duplicate: true });
    await expect(js.publish('orders.new', 'x', { expect: { lastSequence: 7 } })).rejects.toThrow(
      'wrong last sequence: 2',
    );
    await expect(js.publish('orders.new', 'x', { expect: { streamName: 'other' } })).rejects.toThrow(
      'expected stream does not match',
    );
    await expect(js.publish('nowhere', 'x')).rejects.toThrow();
    const message = await manager.streams.getMessage('orders', { last_by_subj: 'orders.new' });
    expect(message?.string()).toBe('two');
    expect((await manager.streams.info('orders')).state).toMatchObject({
      messages: 2,
      first_seq: 1,
      last_seq: 2,
    });
    expect(await manager.streams.deleteMessage('orders', 1)).toBe(true);
    expect(await manager.streams.purge('orders')).toMatchObject({ purged: 1 });
    expect(await manager.streams.names().next()).toEqual(['orders']);
    expect(await manager.streams.delete('orders')).toBe(true);
    await expect(manager.streams.info('orders')).rejects.toThrow('stream not found');
  });

  it('keep to their limits', async () => {
    const { js, manager, host } = await start();
    await manager.streams.add({
      name: 'a',
      subjects: ['a.>'],
      max_msgs: 3,
      max_msgs_per_subject: 2,
      max_age: 10e9,
    });
    for (const subject of ['a.1', 'a.1', 'a.1', 'a.2', 'a.3']) await js.publish(subject, 'x');
    expect((await manager.streams.info('a')).state).toMatchObject({ messages: 3, first_seq: 3, last_seq: 5 });
    await host.clock.advance(11_000);
    expect((await manager.streams.info('a')).state).toMatchObject({ messages: 0, first_seq: 6, last_seq: 5 });
    await manager.streams.add({ name: 'b', subjects: ['b'], max_msgs: 1, discard: 'new' });
    await js.publish('b', 'x');
    await expect(js.publish('b', 'x')).rejects.toThrow('maximum messages exceeded');
    await expect(manager.streams.add({ name: 'c', subjects: ['a.*'] })).rejects.toThrow('subjects overlap');
  });

  it('are there from the start, and again after a reset', async () => {
    const { js, manager, host } = await start({
      streams: [{ name: 'orders', subjects: ['orders.>'], max_age: '1h' }],
      buckets: [{ name: 'settings', history: 5 }],
    });
    await js.publish('orders.1', 'x');
    await manager.streams.add({ name: 'more', subjects: ['more'] });
    await manager.consumers.add('orders', { durable_name: 'c', ack_policy: AckPolicy.Explicit });
    await (await js.consumers.get('orders', 'c')).next();
    const { id } = host.snapshots.create();
    host.reset();
    const info = await manager.streams.info('orders');
    expect(info.state.messages).toBe(0);
    expect(info.config.max_age).toBe(3600e9);
    expect(await manager.streams.names().next()).toEqual(['KV_settings', 'orders']);
    host.snapshots.restore(id);
    expect(await manager.streams.names().next()).toEqual(['KV_settings', 'more', 'orders']);
    expect(await manager.consumers.info('orders', 'c')).toMatchObject({ num_ack_pending: 1, num_pending: 0 });
    expect((await manager.streams.getMessage('orders', { seq: 1 }))?.string()).toBe('x');
  });

  it('are made ready in slices where they are large, before a snapshot is put back', async () => {
    const { client, manager, host } = await start();
    await manager.streams.add({ name: 's', subjects: ['s.>'] });
    for (let n = 0; n < 2_500; n += 1) client.publish(`s.${n}`, 'x');
    await client.flush();
    const { id } = host.snapshots.create();
    await manager.streams.purge('s');
    const restore = jest.spyOn(Streams.prototype, 'restore');
    await host.snapshots.restoreInSlices(id);
    const [[, prepared] = []] = restore.mock.calls;
    restore.mockRestore();
    expect(prepared?.map(({ messages }) => messages.size)).toEqual([2_500]);
    expect((await manager.streams.info('s')).state).toMatchObject({ messages: 2_500, num_subjects: 2_500 });
  });
});

describe('consumers', () => {
  it('are pulled from', async () => {
    const { js, manager, host } = await start();
    await manager.streams.add({ name: 's', subjects: ['s.>'] });
    await manager.consumers.add('s', { durable_name: 'c', ack_policy: AckPolicy.Explicit, ack_wait: 5e9 });
    for (const text of ['one', 'two', 'three']) await js.publish('s.1', text);
    const consumer = await js.consumers.get('s', 'c');
    const first = await consumer.next();
    expect(first).toMatchObject({ subject: 's.1', seq: 1 });
    expect(first?.info).toMatchObject({ deliveryCount: 1, pending: 2, streamSequence: 1 });
    expect(await first?.ackAck()).toBe(true);
    const second = await consumer.next();
    expect(second?.string()).toBe('two');
    expect(await consumer.info()).toMatchObject({
      num_ack_pending: 1,
      num_pending: 1,
      ack_floor: { stream_seq: 1 },
    });
    await host.clock.advance(6_000);
    const again = await consumer.next();
    expect([again?.string(), again?.info.deliveryCount]).toEqual(['two', 2]);
    again?.nak();
    expect((await consumer.next())?.info.deliveryCount).toBe(3);
    const rest = await consumer.fetch({ max_messages: 10, expires: 1_000 });
    const texts: string[] = [];
    for await (const message of rest) texts.push(message.string());
    expect(texts).toEqual(['three']);
  });

  it('consume as messages come', async () => {
    const { js, manager } = await start();
    await manager.streams.add({ name: 's', subjects: ['s'] });
    await manager.consumers.add('s', { durable_name: 'c', ack_policy: AckPolicy.Explicit });
    const consumer = await js.consumers.get('s', 'c');
    const messages = await consumer.consume({ max_messages: 10 });
    const count = 1_000;
    const publishing = (async () => {
      for (let n = 0; n < count; n += 1) await js.publish('s', String(n));
    })();
    const got: string[] = [];
    for await (const message of messages) {
      got.push(message.string());
      message.ack();
      if (got.length === count) break;
    }
    await publishing;
    expect(got).toEqual(Array.from({ length: count }, (_, n) => String(n)));
  });

  it('push, and are read in order', async () => {
    const { js, manager } = await start();
    await manager.streams.add({ name: 's', subjects: ['s.>'] });
    for (let n = 0; n < 5; n += 1) await js.publish(`s.${n % 2}`, String(n));
    const ordered = await js.consumers.get('s', { filter_subjects: 's.0' });
    const got: string[] = [];
    const messages = await ordered.consume();
    for await (const message of messages) {
      got.push(message.string());
      if (message.info.pending === 0) break;
    }
    expect(got).toEqual(['0', '2', '4']);
    const older = await connect2((await start()).port);
    const js2 = older.jetstream();
    await (await older.jetstreamManager()).streams.add({ name: 't', subjects: ['t'] });
    await js2.publish('t', new Uint8Array([1]));
    const subscription = await js2.subscribe('t', consumerOpts().orderedConsumer());
    for await (const message of subscription) {
      expect(message.seq).toBe(1);
      break;
    }
  });

  it('stop delivering, and say so', async () => {
    const { js, manager, client, host } = await start();
    await manager.streams.add({ name: 's', subjects: ['s'], retention: RetentionPolicy.Workqueue });
    await manager.consumers.add('s', {
      durable_name: 'c',
      ack_policy: AckPolicy.Explicit,
      ack_wait: 1e9,
      max_deliver: 2,
    });
    const advisories: string[] = [];
    client.subscribe('$JS.EVENT.ADVISORY.>', { callback: (_, { subject }) => void advisories.push(subject) });
    await js.publish('s', 'x');
    await js.publish('s', 'y');
    const consumer = await js.consumers.get('s', 'c');
    (await consumer.next())?.term();
    expect((await consumer.next())?.string()).toBe('y');
    await host.clock.advance(1_500);
    expect((await consumer.next())?.info.deliveryCount).toBe(2);
    await host.clock.advance(1_500);
    expect(await consumer.next({ expires: 1_000 })).toBeNull();
    expect(advisories).toEqual([
      '$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.s.c',
      '$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.s.c',
    ]);
    expect((await manager.streams.info('s')).state.messages).toBe(1);
  });

  it('begin where they are told', async () => {
    const { js, manager } = await start();
    await manager.streams.add({ name: 's', subjects: ['s.>'] });
    for (const subject of ['s.1', 's.2', 's.1', 's.3']) await js.publish(subject, 'x');
    const sequences = async (config: object): Promise<readonly number[]> => {
      const { name } = await manager.consumers.add('s', { ack_policy: AckPolicy.None, ...config });
      const got: number[] = [];
      const consumer = await js.consumers.get('s', name);
      for await (const message of await consumer.fetch({ max_messages: 4, expires: 1_000 })) {
        got.push(message.seq);
        if (message.info.pending === 0) break;
      }
      return got;
    };
    expect(await sequences({ deliver_policy: DeliverPolicy.Last })).toEqual([4]);
    expect(await sequences({ deliver_policy: DeliverPolicy.LastPerSubject, filter_subject: 's.>' })).toEqual([
      2, 3, 4,
    ]);
    expect(await sequences({ deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: 3 })).toEqual([
      3, 4,
    ]);
    expect(await sequences({ filter_subject: 's.1' })).toEqual([1, 3]);
  });
});

describe('buckets', () => {
  it('hold keys and values', async () => {
    const { client } = await start();
    const kv = await new Kvm(client).create('settings', { history: 3 });
    expect(await kv.put('color', 'red')).toBe(1);
    expect((await kv.get('color'))?.string()).toBe('red');
    expect(await kv.update('color', 'blue', 1)).toBe(2);
    await expect(kv.update('color', 'green', 1)).rejects.toThrow('wrong last sequence: 2');
    await expect(kv.create('color', 'x')).rejects.toThrow();
    await kv.create('size', '7');
    const keys: string[] = [];
    for await (const key of await kv.keys()) keys.push(key);
    expect(keys.sort()).toEqual(['color', 'size']);
    const history: string[] = [];
    for await (const entry of await kv.history({ key: 'color' })) history.push(entry.string());
    expect(history).toEqual(['red', 'blue']);
    const watch = await kv.watch();
    const seen: string[] = [];
    for await (const entry of watch) {
      seen.push(`${entry.key} ${entry.operation}`);
      if (seen.length === 2) await kv.delete('color');
      if (seen.length === 3) break;
    }
    expect(seen).toEqual(['color PUT', 'size PUT', 'color DEL']);
    expect((await kv.get('color'))?.operation).toBe('DEL');
    await kv.purge('size');
    expect((await kv.status()).values).toBe(4);
    expect(await kv.destroy()).toBe(true);
  });

  it('hold objects', async () => {
    const { client } = await start();
    const objects = await new Objm(client).create('files');
    const blob = new Uint8Array(300_000).map((_, at) => at % 251);
    await objects.putBlob({ name: 'a' }, blob);
    await objects.putBlob({ name: 'b' }, new Uint8Array([1, 2]));
    expect(await objects.getBlob('a')).toEqual(blob);
    expect(await objects.info('a')).toMatchObject({ name: 'a', size: 300_000 });
    expect((await objects.list()).map(({ name }) => name)).toEqual(['a', 'b']);
    const info = await objects.info('b');
    await objects.link('link', info as never);
    expect(await objects.getBlob('link')).toEqual(new Uint8Array([1, 2]));
    await objects.delete('a');
    expect((await objects.list()).map(({ name }) => name)).toEqual(['b', 'link']);
  });
});

describe('beside mocks', () => {
  it('a mock answers first', async () => {
    const { client, host, js, manager } = await start(true, [
      { subject: '$JS.API.STREAM.INFO.gone', response: { payload: '{"mine":1}' } },
      { subject: 's.mocked', response: { payload: '{"stream":"s","seq":77}' } },
    ] as never);
    expect((await client.request('$JS.API.STREAM.INFO.gone')).json()).toEqual({ mine: 1 });
    await manager.streams.add({ name: 's', subjects: ['s.>'] });
    expect((await js.publish('s.mocked', 'x')).seq).toBe(77);
    expect((await manager.streams.info('s')).state.messages).toBe(1);
    expect(host.journal.list().map(({ path }) => path)).toContain('$JS.API.STREAM.CREATE.s');
    host.faults.set('nats', {});
    await expect(js.publish('s.1', 'x', { timeout: 200 })).rejects.toThrow();
  });
});
