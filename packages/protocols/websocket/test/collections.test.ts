import { expect, it } from '@jest/globals';
import { Client, startHost } from './support.js';

it('messages read and change a collection; a connection has a mock of its own before them', async () => {
  const { url, host } = await startHost([
    { id: 'open', path: '/todo' },
    {
      path: '/todo',
      collection: { name: 'todos', create: true, value: { text: '{{request.body.add}}' } },
      on_message: [{ match: 're:"add"', respond: 'added {{row.id}}' }],
    },
    {
      path: '/todo',
      collection: { name: 'todos', delete: '{{request.body.done}}' },
      on_message: [{ match: 're:"done"', respond: 'done {{row.text}}' }],
    },
    {
      path: '/todo',
      collection: { name: 'todos', list: true },
      on_message: [{ match: 'list', respond: '{{rows}}' }],
    },
    { path: '/todo', on_message: [{ match: '*', respond: 'unknown' }] },
  ]);
  await host.collections.define('todos', { id: '{{seq "todos"}}' });
  const client = await Client.connect(`${url}/todo`);
  const ask = async (text: string): Promise<unknown> => {
    client.socket.send(text);
    return client.next();
  };
  expect(await ask('{"add":"milk"}')).toBe('added 1');
  expect(await ask('{"add":"tea"}')).toBe('added 2');
  expect(await ask('{"done":"1"}')).toBe('done milk');
  expect(await ask('{"done":"1"}')).toBe('unknown');
  expect(JSON.parse(String(await ask('list')))).toEqual([{ id: 2, text: 'tea' }]);
  expect(host.collection('todos').size).toBe(1);
});
