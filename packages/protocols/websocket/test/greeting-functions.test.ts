import { expect, test } from '@jest/globals';
import type { RespondContext, RespondRequest } from '@backlot/core';
import { Client, startHost } from './support.js';

test('a function greets those who connect, and goes on sending until it is done', async () => {
  const { host, url } = await startHost([
    {
      id: 'greets',
      path: '/feed/{name}',
      respond_on: 'connect',
      respond: (request: RespondRequest, { clock }: RespondContext) => ({
        on_connect: { send: `hello ${String(request.params['name'])}` },
        feed: (async function* count() {
          yield { base64: 'AP8=' };
          await clock.wait(1000);
          yield { json: { stream: request['stream'] } };
        })(),
      }),
    },
    { id: 'answers', path: '/feed/*', on_message: [{ respond: 'heard {{request.body}}' }] },
  ]);
  const client = await Client.connect(`${url}/feed/ann`);
  expect(await client.next()).toBe('hello ann');
  expect(await client.next()).toEqual(Buffer.from([0, 255]));
  expect(await client.ask('you')).toBe('heard you');
  const stream = host.streams.list()[0]?.id;
  await host.clock.advance(1000);
  expect(await client.next()).toBe(JSON.stringify({ stream }));
  expect(await client.next()).toBe('close 1000');
});

test('what a function gives for connections is no answer to a message, and one that fails closes the connection', async () => {
  const { url } = await startHost([
    { id: 'late', path: '/late', respond: () => ({ on_connect: { send: 'hello' } }) },
    {
      id: 'fails',
      path: '/fails',
      respond_on: 'connect',
      respond: () => {
        throw new Error('no');
      },
    },
  ]);
  const late = await Client.connect(`${url}/late`);
  expect(await late.ask('a')).toBe('close 1011');
  const failing = await Client.connect(`${url}/fails`);
  expect(await failing.next()).toBe('close 1011');
});

test.each([
  [{ respond_on: 'connect' }, 'says when the function'],
  [{ respond_on: 'connect', on_message: [{ respond: 'a' }] }, 'cannot stand beside respond_on: connect'],
  [
    { respond_on: 'connect', respond: () => ({}), dialect: 'phoenix' },
    'cannot be given in the dialect phoenix',
  ],
])('%j is refused', async (fields, message) => {
  await expect(startHost([{ id: 'a', path: '/a', ...fields }])).rejects.toThrow(message);
});
