import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { connect, startHost } from './support.js';

it('a connection shows its user, its name and its queues, and is closed with connection.close', async () => {
  const { kind, url } = await startHost();
  const client = await connect(url, { clientProperties: { connection_name: 'worker' } });
  const channel = await client.createChannel();
  await channel.assertQueue('jobs');
  await channel.consume('jobs', () => undefined);
  expect(kind.connections.list()).toEqual([
    expect.objectContaining({ user: 'guest', client: 'worker', subscriptions: ['jobs'] }),
  ]);
  const closed = once(client, 'close');
  expect(kind.connections.close({ client: 'worker' }, 'goodbye')).toBe(1);
  const [error] = (await closed) as [Error & { code?: number }];
  expect(error.message).toContain('320 (CONNECTION-FORCED)');
});

it('a fault is for the routing keys that it names', async () => {
  const { host, url } = await startHost();
  host.faults.set('amqp', { match: { routing_key: 'orders' }, times: 1 });
  const channel = await (await connect(url)).createChannel();
  for (const queue of ['orders', 'other']) await channel.assertQueue(queue);
  for (const queue of ['orders', 'other', 'orders']) channel.sendToQueue(queue, Buffer.from(queue));
  const counts = [];
  for (const queue of ['orders', 'other']) counts.push((await channel.checkQueue(queue)).messageCount);
  expect(counts).toEqual([1, 1]);
});
