import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { ConfirmChannel } from 'amqplib';
import {
  bodiesOf,
  breakOff,
  channelError,
  collect,
  connect,
  method,
  openChannel,
  openConfirmChannel,
  OPENING,
  RawClient,
  shortString,
  startHost,
  type Running,
} from './support.js';

function confirm(channel: ConfirmChannel, queue: string, body: string): Promise<string> {
  return new Promise((resolve) => {
    channel.sendToQueue(queue, Buffer.from(body), {}, (error) =>
      resolve(error === null || error === undefined ? 'ack' : 'nack'),
    );
  });
}

describe('a fault', () => {
  it('loses the message: no queue has it, no mock answers, and its confirm is a nack', async () => {
    const { host, url } = await startHost({
      queues: [{ name: 'q' }, { name: 'answers' }],
      mocks: [{ id: 'm', routing_key: 'q', response: { routing_key: 'answers', body: 'x' } }],
    });
    host.faults.set('amqp', {});
    const channel = await openConfirmChannel(url);
    expect(await confirm(channel, 'q', 'lost')).toBe('nack');
    expect((await channel.checkQueue('q')).messageCount).toBe(0);
    expect((await channel.checkQueue('answers')).messageCount).toBe(0);
    expect(host.journal.list()).toMatchObject([{ matched_id: 'm', fault: true }]);
    host.faults.clear('amqp');
    expect(await confirm(channel, 'q', 'kept')).toBe('ack');
    expect((await channel.checkQueue('answers')).messageCount).toBe(1);
  });

  it('loses as many as its rate says, and the same ones in each seeded run', async () => {
    const outcomes = async (): Promise<string[]> => {
      const { host, url } = await startHost({ queues: [{ name: 'q' }] });
      host.faults.set('amqp', { error_rate: 0.5 });
      const channel = await openConfirmChannel(url);
      const list: string[] = [];
      for (let i = 0; i < 40; i += 1) list.push(await confirm(channel, 'q', 'x'));
      return list;
    };
    const first = await outcomes();
    expect(new Set(first)).toEqual(new Set(['ack', 'nack']));
    expect(await outcomes()).toEqual(first);
  });

  it('closes the channel with its code, or the connection where the code is one for that', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'q' }] });
    host.faults.set('amqp', { reply_code: 403, reply_text: 'not today' });
    const client = await connect(url);
    const channel = await client.createChannel();
    const failed = channelError(channel);
    channel.sendToQueue('q', Buffer.from('x'));
    expect((await failed).message).toContain(
      '403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - not today"',
    );
    host.faults.set('amqp', { reply_code: 506 });
    const second = (await client.createChannel()).on('error', () => undefined);
    const closed = new Promise<Error>((resolve) => client.once('error', resolve));
    second.sendToQueue('q', Buffer.from('x'));
    expect((await closed).message).toContain('RESOURCE_ERROR - fault injected');
    host.faults.clear('amqp');
    const other = await openChannel(url);
    expect((await other.checkQueue('q')).messageCount).toBe(0);
  });

  it('of delay alone holds a message back from queues and confirm, in its order, and holds up nobody else', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'q' }] });
    host.clock.freeze(true);
    const slow = await openConfirmChannel(url);
    const consumer = await openChannel(url);
    const received = await collect(consumer, 'q');
    host.faults.set('amqp', { delay: '1m' });
    const confirms: Promise<string>[] = [confirm(slow, 'q', '1')];
    await eventually(() => (host.kind('amqp').captures?.values().length ?? 0) === 1);
    host.faults.clear('amqp');
    confirms.push(confirm(slow, 'q', '2'));
    await eventually(() => (host.kind('amqp').captures?.values().length ?? 0) === 2);
    const quick = await openConfirmChannel(url);
    expect(await confirm(quick, 'q', 'quick')).toBe('ack');
    await eventually(() => received.length === 1);
    await host.clock.advance(60_000);
    expect(await Promise.all(confirms)).toEqual(['ack', 'ack']);
    await eventually(() => received.length === 3);
    expect(bodiesOf(received)).toEqual(['quick', '1', '2']);
  });

  it('with a delay fires when the delay is over, for messages that a mock answers too', async () => {
    const { host, url } = await startHost({
      queues: [{ name: 'q' }],
      mocks: [{ id: 'm', routing_key: 'q' }],
    });
    host.clock.freeze(true);
    host.faults.set('amqp', { delay: '1m', drop: true });
    const channel = await openConfirmChannel(url);
    let outcome = '';
    void confirm(channel, 'q', 'x').then((result) => (outcome = result));
    await host.kind('amqp').calls.wait('m', 1, 60_000);
    expect((await channel.checkQueue('q')).messageCount).toBe(0);
    expect(outcome).toBe('');
    await host.clock.advance(60_000);
    await eventually(() => outcome === 'nack');
    expect((await channel.checkQueue('q')).messageCount).toBe(0);
  });

  it('of a delay does not lose the message of a client that leaves', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'q' }] });
    host.faults.set('amqp', { delay: '1h' });
    const client = await connect(url);
    (await client.createChannel()).sendToQueue('q', Buffer.from('x'));
    await eventually(() => host.kind('amqp').captures?.values().length === 1);
    await client.close();
    host.faults.clear('amqp');
    const other = await openChannel(url);
    let count = 0;
    while (count === 0) count = (await other.checkQueue('q')).messageCount;
    expect(count).toBe(1);
  });

  it('that says not to drop keeps the message', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'q' }] });
    host.faults.set('amqp', { drop: false });
    const channel = await openConfirmChannel(url);
    expect(await confirm(channel, 'q', 'x')).toBe('ack');
    expect((await channel.checkQueue('q')).messageCount).toBe(1);
  });

  it('is checked when it is set', async () => {
    const { host } = await startHost();
    expect(() => host.faults.set('amqp', { reply_code: 200 })).toThrow();
    expect(() => host.faults.set('amqp', { reply_text: 'x', code: 1 })).toThrow();
  });
});

describe('a fault of phase login', () => {
  it('holds back what was sent behind the login, and refuses by the mechanism’s name', async () => {
    const { host, port } = await startHost();
    host.clock.freeze(true);
    host.faults.set('amqp', { phase: 'login', delay: '10m', error_rate: 0, times: 1 });
    const client = await RawClient.connect(port);
    client.send(OPENING);
    await eventually(() => leftTimes(host) === 0);
    await client.until(() => client.methods.length > 0);
    expect(client.methods).toEqual(['10.10']);
    await host.clock.advance(600_000);
    await client.until(() => client.methods.length === 4);
    expect(client.methods).toEqual(['10.10', '10.30', '10.41', '20.11']);
    host.faults.set('amqp', { phase: 'login' });
    const other = await RawClient.connect(port);
    other.send(OPENING);
    expect(await other.refusal()).toContain('connection 403 ACCESS_REFUSED - Login was refused');
  });

  it('of a delay forgets clients that leave meanwhile', async () => {
    const { host, port } = await startHost();
    host.clock.freeze(true);
    host.faults.set('amqp', { phase: 'login', delay: '10m', times: 1 });
    const client = await RawClient.connect(port);
    client.send(OPENING);
    await eventually(() => leftTimes(host) === 0);
    client.socket.destroy();
    await host.clock.advance(600_000);
    await eventually(() => host.kind('amqp').status()['connections'] === 0);
  });
});

function leftTimes(host: Running['host']): number | undefined {
  return host.faults.get('amqp')?.left?.times;
}

describe('a fault that blocks', () => {
  it('holds up those who publish, tells them why, and lets them go on', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'q' }, { name: 'other' }] });
    host.faults.set('amqp', { blocked: 'low on memory' });
    const consumer = await openChannel(url);
    const received = await collect(consumer, 'q');
    await consumer.checkQueue('other');
    const client = await connect(url);
    const notices: string[] = [];
    client.on('blocked', (reason: string) => notices.push(`blocked ${reason}`));
    client.on('unblocked', () => notices.push('unblocked'));
    const channel = await client.createConfirmChannel();
    await channel.checkQueue('q');
    expect(notices).toEqual([]);
    const confirms = [confirm(channel, 'q', '1'), confirm(channel, 'q', '2')];
    await eventually(() => notices.length === 1);
    // What only consumes or declares goes on.
    await consumer.assertQueue('new');
    expect(host.journal.list()).toEqual([]);
    host.faults.set('amqp', { blocked: 'low on disk' });
    await consumer.checkQueue('q');
    expect(notices).toEqual(['blocked low on memory']);
    host.faults.clear('amqp');
    expect(await Promise.all(confirms)).toEqual(['ack', 'ack']);
    await eventually(() => received.length === 2);
    expect(notices).toEqual(['blocked low on memory', 'unblocked']);
    expect(host.journal.list().map(({ fault = false }) => fault)).toEqual([false, false]);
    host.scenarios.create({ id: 'full', faults: { amqp: { blocked: 'low on disk' } } });
    host.scenarios.activate('full');
    const third = confirm(channel, 'q', '3');
    await eventually(() => notices.length === 3);
    host.reset();
    expect(await third).toBe('ack');
    expect(notices.slice(2)).toEqual(['blocked low on disk', 'unblocked']);
  });

  it('tells nothing to clients that do not know of it', async () => {
    const { host, port, url } = await startHost({ queues: [{ name: 'q' }] });
    host.faults.set('amqp', { blocked: 'low on memory' });
    const client = await RawClient.connect(port);
    client.send(OPENING);
    client.send(method(1, 60, 40, `0000${shortString('')}${shortString('q')}00`));
    client.send(method(1, 20, 40, `0000${shortString('')}00000000`));
    await client.until(() => client.methods.length === 4);
    const other = await openChannel(url);
    await other.checkQueue('q');
    expect(client.methods).toEqual(['10.10', '10.30', '10.41', '20.11']);
    host.faults.clear('amqp');
    await client.refusal();
  });

  it('ends blocked connections as any other when they are closed, and forgets those that leave', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'q' }] });
    host.faults.set('amqp', { blocked: 'low on memory' });
    const clients = [await connect(url), await connect(url)];
    let blocked = 0;
    for (const client of clients) {
      client.on('blocked', () => (blocked += 1));
      (await client.createChannel()).sendToQueue('q', Buffer.from('x'));
    }
    await eventually(() => blocked === 2);
    const [left, told] = clients;
    if (left === undefined || told === undefined) throw new Error('two clients were expected');
    breakOff(left);
    const closed = new Promise((resolve) => told.once('close', resolve));
    host.kind('amqp').connections.close({}, 'goodbye');
    await closed;
    await eventually(() => host.kind('amqp').status()['connections'] === 0);
    host.faults.clear('amqp');
    const channel = await openChannel(url);
    expect((await channel.checkQueue('q')).messageCount).toBe(0);
  });

  it('goes with neither a match nor counts nor another phase', async () => {
    const { host } = await startHost();
    for (const more of [{ match: { queue: 'q' } }, { times: 1 }, { after: 1 }, { phase: 'login' }])
      expect(() => host.faults.set('amqp', { blocked: 'x', ...more })).toThrow('amqp fault/blocked: is how');
  });
});
