import { describe, expect, it } from '@jest/globals';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers as makeHeaders } from '@nats-io/transport-node';
import { eventually } from '@backlot/conformance';
import { connect3, startHost } from './support.js';

async function start(settings: object | true = true) {
  const running = await startHost({ jetstream: settings });
  const client = await connect3(running.port);
  return { ...running, client, js: jetstream(client), manager: await jetstreamManager(client) };
}

type Manager = Awaited<ReturnType<typeof start>>['manager'];

/** Waits for the last sequence of a stream. */
async function until(manager: Manager, name: string, sequence: number): Promise<void> {
  let last = -1;
  const ask = (): void => {
    void manager.streams.info(name).then(({ state }) => {
      last = state.last_seq;
      if (last !== sequence) ask();
    });
  };
  ask();
  await eventually(() => last === sequence);
}

describe('a stream that copies', () => {
  it('is made by nats.js, and read by its consumers', async () => {
    const { js, manager } = await start();
    await manager.streams.add({ name: 'orders', subjects: ['orders.>'] });
    for (const id of ['orders.eu.1', 'orders.us.2', 'orders.eu.3']) await js.publish(id, id);
    await manager.streams.add({ name: 'mirror', mirror: { name: 'orders' } });
    await manager.streams.add({ name: 'all', sources: [{ name: 'orders', filter_subject: 'orders.eu.>' }] });
    await until(manager, 'mirror', 3);
    await until(manager, 'all', 2);
    const { mirror } = await manager.streams.info('mirror');
    expect(mirror).toMatchObject({ name: 'orders', lag: 0 });
    const { sources } = await manager.streams.info('all');
    expect(sources).toMatchObject([{ name: 'orders', lag: 0 }]);
    await manager.consumers.add('all', { durable_name: 'c', filter_subject: 'orders.eu.3' });
    const message = await (await js.consumers.get('all', 'c')).next();
    expect([message?.subject, message?.seq, message?.headers?.get('Nats-Stream-Source')]).toEqual([
      'orders.eu.3',
      2,
      'orders 3',
    ]);
    const kept = await manager.streams.getMessage('mirror', { seq: 2 });
    expect(kept?.subject).toBe('orders.us.2');
  });

  it('leaves out what a source has twice, and what is expected of the source', async () => {
    const { js, manager } = await start({
      streams: [
        { name: 'a', subjects: ['a'] },
        { name: 's', sources: [{ name: 'a' }, { name: 'b' }] },
        { name: 'b', subjects: ['b'] },
      ],
    });
    await js.publish('a', 'one', { msgID: 'same', expect: { streamName: 'a' } });
    await until(manager, 's', 1);
    await js.publish('b', 'again', { msgID: 'same' });
    const more = makeHeaders();
    more.set('x-more', 'y');
    await js.publish('b', 'two', { headers: more });
    await until(manager, 's', 2);
    const messages = await Promise.all([1, 2].map((seq) => manager.streams.getMessage('s', { seq })));
    const shown = messages.map((message) => [
      message?.string(),
      Object.fromEntries(Array.from(message?.header ?? [], ([name, values]) => [name, values[0]])),
    ]);
    expect(shown).toEqual([
      ['one', { 'Nats-Msg-Id': 'same', 'Nats-Stream-Source': 'a 1' }],
      ['two', { 'x-more': 'y', 'Nats-Stream-Source': 'b 2' }],
    ]);
  });

  it('waits for its origin, tells so, and goes on when there is room again', async () => {
    const { js, manager } = await start();
    await manager.streams.add({ name: 'm', mirror: { name: 'a' }, discard: 'new', max_msgs: 2 });
    expect((await manager.streams.info('m')).mirror).toMatchObject({
      active: -1,
      error: { err_code: 10059 },
    });
    await manager.streams.add({ name: 'a', subjects: ['a'] });
    for (const body of ['one', 'two', 'three']) await js.publish('a', body);
    await until(manager, 'm', 2);
    const { mirror } = await manager.streams.info('m');
    expect(mirror).toMatchObject({ lag: 1, error: { description: 'maximum messages exceeded' } });
    await manager.streams.purge('m');
    await until(manager, 'm', 3);
    await manager.streams.delete('a');
    expect((await manager.streams.info('m')).mirror?.active).toBe(-1);
  });

  it('is refused in a circle, and where it would do what is not there', async () => {
    const { manager } = await start();
    await manager.streams.add({ name: 'a', subjects: ['a'], sources: [{ name: 'b' }] });
    await expect(manager.streams.add({ name: 'b', mirror: { name: 'a' } })).rejects.toThrow('detected cycle');
    for (const field of ['external', 'subject_transforms', 'subject_transform_dest'])
      await expect(manager.streams.add({ name: 'c', sources: [{ name: 'a', [field]: [] }] })).rejects.toThrow(
        `\`${field}\` is not supported by this server`,
      );
    await expect(
      manager.streams.add({ name: 'c', mirror: { name: 'a', opt_start_time: 'yesterday' } }),
    ).rejects.toThrow(/opt_start_time is "yesterday"/);
  });

  it('copies from a time on, keeps its place when sources change, and in snapshots', async () => {
    const { js, manager, host } = await start();
    host.clock.freeze(true);
    await manager.streams.add({ name: 'a', subjects: ['a'] });
    await js.publish('a', 'old');
    await host.clock.advance(60_000);
    const now = new Date(host.clock.now()).toISOString();
    await js.publish('a', 'new');
    await manager.streams.add({ name: 's', sources: [{ name: 'a', opt_start_time: now }] });
    await until(manager, 's', 1);
    expect((await manager.streams.getMessage('s', { seq: 1 }))?.string()).toBe('new');
    await manager.streams.add({ name: 'b', subjects: ['b'] });
    await js.publish('b', 'other');
    const sources = [{ name: 'b' }, { name: 'a', opt_start_time: now }];
    await manager.streams.update('s', { sources });
    await until(manager, 's', 2);
    const { id } = host.snapshots.create();
    await js.publish('a', 'gone');
    await until(manager, 's', 3);
    host.snapshots.restore(id);
    await js.publish('a', 'stays');
    await until(manager, 's', 3);
    const bodies = await Promise.all([1, 2, 3].map((seq) => manager.streams.getMessage('s', { seq })));
    expect(bodies.map((message) => message?.string())).toEqual(['new', 'other', 'stays']);
    expect((await manager.streams.info('s')).state.messages).toBe(3);
  });
});

describe('samples of acknowledgements', () => {
  it('tell how long they took by the clock, for a share of them', async () => {
    const { js, manager, client, host } = await start();
    host.clock.freeze(true);
    const took: number[] = [];
    client.subscribe('$JS.EVENT.METRIC.CONSUMER.ACK.a.*', {
      callback: (_, message) => void took.push(message.json<{ ack_time: number }>().ack_time),
    });
    await manager.streams.add({ name: 'a', subjects: ['a'] });
    await manager.consumers.add('a', {
      durable_name: 'c',
      ack_policy: AckPolicy.Explicit,
      sample_freq: '100%',
    });
    await manager.consumers.add('a', {
      durable_name: 'some',
      ack_policy: AckPolicy.Explicit,
      sample_freq: '50',
    });
    for (let n = 0; n < 200; n += 1) await js.publish('a');
    const message = await (await js.consumers.get('a', 'c')).next();
    await host.clock.advance(1_500);
    await message?.ackAck();
    expect(took).toEqual([1_500_000_000]);
    const some = await js.consumers.get('a', 'some');
    const messages = await some.fetch({ max_messages: 200 });
    for await (const each of messages) await each.ackAck();
    expect(took.length).toBeGreaterThan(50);
    expect(took.length).toBeLessThan(150);
  });
});
