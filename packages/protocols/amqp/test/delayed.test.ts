import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { GetMessage } from 'amqplib';
import { bodiesOf, collect, connect, openChannel, openConfirmChannel, quiet, startHost } from './support.js';

const DELAYED = [
  { name: 'later', type: 'x-delayed-message', arguments: { 'x-delayed-type': 'topic' } },
  { name: 'next', type: 'x-delayed-message', arguments: { 'x-delayed-type': 'fanout' } },
];

const delaysOf = (messages: readonly GetMessage[]): unknown[] =>
  messages.map(({ properties }) => properties.headers?.['x-delay']);

describe('an exchange of type x-delayed-message', () => {
  it('holds back messages with an x-delay by the virtual clock, and then routes them as its x-delayed-type', async () => {
    const { host, url } = await startHost({
      exchanges: DELAYED,
      queues: [{ name: 'eu' }, { name: 'all' }],
      bindings: [
        { exchange: 'later', routing_key: '*.eu', queue: 'eu' },
        { exchange: 'later', to_exchange: 'next', routing_key: '#' },
        { exchange: 'next', queue: 'all' },
      ],
    });
    host.clock.freeze(true);
    const channel = await openConfirmChannel(url);
    const eu = await collect(channel, 'eu');
    const all = await collect(channel, 'all');
    const send = (key: string, delay: unknown): void => {
      const headers = delay === undefined ? {} : { 'x-delay': delay };
      channel.publish('later', key, Buffer.from(`${key} ${String(delay)}`), { headers });
    };
    send('a.eu', 3000);
    send('b.eu', '1000');
    send('c.us', 2000.9);
    for (const none of [undefined, 0, -1, 2 ** 32, 'soon', true]) send('d.eu', none);
    await channel.waitForConfirms();
    await eventually(() => eu.length === 6 && all.length === 6);
    await host.clock.advance(999);
    expect((await channel.checkQueue('eu')).messageCount).toBe(0);
    await host.clock.advance(1);
    await eventually(() => eu.length === 7);
    await host.clock.advance(2000);
    await eventually(() => eu.length === 8 && all.length === 9);
    expect(bodiesOf(all).slice(6)).toEqual(['b.eu 1000', 'c.us 2000.9', 'a.eu 3000']);
    // Held back once, though both exchanges on the way would.
    expect(delaysOf(all).slice(6)).toEqual([-1000, -2000, -3000]);
    expect(delaysOf(eu).slice(6)).toEqual([-1000, -3000]);
  });

  it('returns what is mandatory, and gives what it holds back to its alternate, as the plugin of RabbitMQ', async () => {
    const [later] = DELAYED;
    const { host, url } = await startHost({
      exchanges: [
        { ...later, arguments: { ...later?.arguments, 'alternate-exchange': 'amq.fanout' } },
        DELAYED[1],
      ],
      queues: [{ name: 'q' }, { name: 'lost' }],
      bindings: [
        { exchange: 'later', routing_key: 'k', queue: 'q' },
        { exchange: 'next', queue: 'q' },
        { exchange: 'amq.fanout', queue: 'lost' },
      ],
    });
    const channel = await openConfirmChannel(url);
    const returned: string[] = [];
    channel.on('return', ({ fields }: { fields: { replyText: string } }) => returned.push(fields.replyText));
    const options = { mandatory: true, headers: { 'x-delay': 3_600_000 } };
    channel.publish('later', 'k', Buffer.from('1'), options);
    channel.publish('next', 'k', Buffer.from('2'), options);
    await channel.waitForConfirms();
    expect(returned).toEqual(['NO_ROUTE']);
    expect((await channel.checkQueue('lost')).messageCount).toBe(1);
    const captures = host.kind('amqp').captures?.values();
    expect(captures).toMatchObject([{ exchange: 'later' }, { exchange: 'next' }]);
  });

  it('keeps what waits in snapshots, forgets it with a reset, and takes it along when it is deleted', async () => {
    const { host, url } = await startHost({
      exchanges: DELAYED,
      queues: [{ name: 'q' }],
      bindings: DELAYED.map(({ name }) => ({ exchange: name, routing_key: '#', queue: 'q' })),
    });
    host.clock.freeze(true);
    const channel = await openConfirmChannel(url);
    const count = async (): Promise<number> => (await channel.checkQueue('q')).messageCount;
    for (const [exchange, delay] of [
      ['later', 1000],
      ['next', 500],
    ] as const)
      channel.publish(exchange, 'k', Buffer.from('x'), { headers: { 'x-delay': delay } });
    await channel.waitForConfirms();
    await host.clock.advance(400);
    const { id } = host.snapshots.create();
    host.reset();
    host.clock.freeze(true);
    await host.clock.advance(10_000);
    expect(await count()).toBe(0);
    host.snapshots.restore(id);
    await channel.deleteExchange('next');
    await host.clock.advance(599);
    expect(await count()).toBe(0);
    await host.clock.advance(1);
    expect(await count()).toBe(1);
  });

  it('needs an x-delayed-type', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await expect(channel.assertExchange('d', 'x-delayed-message')).rejects.toThrow(
      "PRECONDITION_FAILED - invalid argument 'x-delayed-type': it must be an existing exchange type",
    );
    const client = await connect(url);
    const closed = new Promise<Error>((resolve) => client.once('error', resolve));
    const other = quiet(await client.createChannel());
    const options = { arguments: { 'x-delayed-type': 'x-delayed-message' } };
    await expect(other.assertExchange('d', 'x-delayed-message', options)).rejects.toThrow();
    expect((await closed).message).toContain("unknown exchange type 'x-delayed-message'");
    await expect(startHost({ exchanges: [{ name: 'd', type: 'x-delayed-message' }] })).rejects.toThrow(
      'x-delayed-type',
    );
  });
});
