import { expect, it } from '@jest/globals';
import { connect3, startHost } from './support.js';

it('a connection shows its name and its subscriptions, and is told that it is given up', async () => {
  const { kind, port } = await startHost();
  const client = await connect3(port, { name: 'worker', reconnect: false });
  client.subscribe('orders.*');
  await client.flush();
  expect(kind.connections.list()).toEqual([
    expect.objectContaining({ client: 'worker', subscriptions: ['orders.*'] }),
  ]);
  expect(kind.connections.close({ client: 'worker' }, 'goodbye')).toBe(1);
  expect(String(await client.closed())).toMatch(/stale/i);
});
