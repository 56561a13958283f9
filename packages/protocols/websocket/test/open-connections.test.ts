import { expect, it } from '@jest/globals';
import { Client, startHost } from './support.js';

it('a connection is closed with 1001, reset or cut', async () => {
  const { kind, url } = await startHost([{ id: 'chat', path: '/chat', on_message: [{ respond: 'yes' }] }]);
  const ends: unknown[] = [];
  for (const how of ['goodbye', 'reset', 'end'] as const) {
    const client = await Client.connect(`${url}/chat`);
    const [open] = kind.connections.list();
    expect(kind.connections.close({ id: open?.id ?? '', remote: '127.0.0.1' }, how)).toBe(1);
    ends.push(await client.next());
  }
  expect(ends).toEqual(['close 1001', 'close 1006', 'close 1006']);
});

it('a fault is for the messages that it names', async () => {
  const { host, url } = await startHost([{ id: 'chat', path: '/chat', on_message: [{ respond: 'yes' }] }]);
  host.faults.set('websocket', { match: { on_message: [{ match: 'die' }] }, close_code: 1013 });
  const client = await Client.connect(`${url}/chat`);
  for (const text of ['live', 'die']) client.socket.send(text);
  expect([await client.next(), await client.next()]).toEqual(['yes', 'close 1013']);
});
