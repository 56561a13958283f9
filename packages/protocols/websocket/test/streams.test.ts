import { expect, test } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Client, startHost } from './support.js';

test('a connection is a stream of the mock that lets it in; texts, JSON and bytes are pushed', async () => {
  const { host, url } = await startHost([
    { id: 'rooms', path: '/rooms/{room}', on_message: [{ match: 'ping', respond: 'pong' }] },
    { id: 'greeter', path: '/rooms/*', on_connect: { send: 'hello' } },
  ]);
  const greeted = await Client.connect(`${url}/rooms/a`);
  expect(await greeted.next()).toBe('hello');
  const [stream] = host.streams.list();
  expect(stream).toEqual({
    id: expect.any(String),
    protocol: 'websocket',
    mock_id: 'greeter',
    started_at: expect.any(String),
  });
  host.kind('websocket').mocks.remove('greeter');
  const other = await Client.connect(`${url}/rooms/b`);
  expect(host.streams.list().map((each) => each.mock_id)).toEqual(['greeter', 'rooms']);
  const to = { protocol: 'websocket', mock_id: 'rooms' };
  expect(host.streams.push(to, 'as {{it}} is')).toBe(1);
  host.streams.push(to, { json: { n: [1, null] } });
  host.streams.push(to, { base64: 'AP8=' });
  expect(await other.next()).toBe('as {{it}} is');
  expect(await other.next()).toBe('{"n":[1,null]}');
  expect(await other.next()).toEqual(Buffer.from([0, 255]));
  expect(await other.ask('ping')).toBe('pong');
  expect(() => host.streams.push(to, { base64: '*' })).toThrow('is not base64');
  expect(() => host.streams.push(to, {})).toThrow('data for websocket');
  expect(() => host.streams.push(to, { json: 1, base64: '' })).toThrow('data for websocket');
  expect(() => host.streams.push(to, { text: 'a' })).toThrow('data for websocket');
  expect(greeted.left).toEqual([]);
});

test('a connection that a reset leaves open is pushed into, and a stop says that the server goes away', async () => {
  const { host, url } = await startHost([{ id: 'feed', path: '/feed' }]);
  const client = await Client.connect(`${url}/feed`);
  host.reset();
  host.streams.push({ protocol: 'websocket', mock_id: 'feed' }, 'more');
  expect(await client.next()).toBe('more');
  await host.stop();
  expect(await client.next()).toBe('close 1001');
  expect(host.streams.list()).toEqual([]);
});

test('a refused client, and one that a fault closes, is no stream', async () => {
  const { host, url } = await startHost([{ path: '/feed' }]);
  await expect(Client.connect(`${url}/other`)).rejects.toThrow('404');
  host.kind('websocket').fault?.set({ close_code: 1013 });
  const client = await Client.connect(`${url}/feed`);
  expect(await client.next()).toBe('close 1013');
  expect(host.streams.list()).toEqual([]);
});

test('closing a stream ends the answer that is being made', async () => {
  const { host, url, logged } = await startHost([
    { id: 'slow', path: '/slow', on_message: [{ respond: ['one', { body: 'two', delay: '1h' }] }] },
  ]);
  host.clock.freeze(true);
  const client = await Client.connect(`${url}/slow`);
  expect(await client.ask('go')).toBe('one');
  host.streams.close({ protocol: 'websocket', mock_id: 'slow' }, 'enough');
  expect(await client.next()).toBe('close 1011 enough');
  await host.clock.advance(3_600_000);
  expect(client.left).toEqual([]);
  expect(logged('MESSAGE')).toMatchObject([{ aborted: true }]);
});

test('lists are sent in their order, each after its delay; what follows waits', async () => {
  const { host, url, logged } = await startHost([
    {
      path: '/list',
      on_connect: {
        send: ['hello', { json: { room: '{{query.room}}' }, delay: '1s' }, { body_base64: '/wA=' }],
        send_binary: 'AAE=',
      },
      on_message: [
        { match: 'ping', respond: 'pong' },
        {
          match: 'count',
          respond: [
            { body: '1 {{request.body}}' },
            { body: '2', delay: '2s' },
            { body: '{{request.raw_body}}', delay: '1s' },
          ],
          delay: '1s',
          close: { code: 4000 },
        },
      ],
    },
  ]);
  host.clock.freeze(true);
  const client = await Client.connect(`${url}/list?room=a`);
  client.send('ping');
  client.send('count');
  expect(await client.next()).toBe('hello');
  await client.settle();
  expect(client.left).toEqual([]);
  await host.clock.advance(1000);
  expect(await client.next()).toBe('{"room":"a"}');
  expect(await client.next()).toEqual(Buffer.from([255, 0]));
  expect(await client.next()).toEqual(Buffer.from([0, 1]));
  expect(await client.next()).toBe('pong');
  await client.settle();
  await host.clock.advance(999);
  await client.settle();
  expect(client.left).toEqual([]);
  await host.clock.advance(1);
  expect(await client.next()).toBe('1 count');
  await client.settle();
  await host.clock.advance(2000);
  expect(await client.next()).toBe('2');
  await client.settle();
  await host.clock.advance(1000);
  expect(await client.next()).toBe('count');
  expect(await client.next()).toBe('close 4000');
  await eventually(() => logged('CLOSE').length === 1);
  expect(logged('CONNECT')).toMatchObject([
    { response: { status: 101, body: 'hello\n{"room":"a"}\n/wA=\nAAE=' } },
  ]);
  expect(logged('MESSAGE').map((entry) => entry['response'])).toMatchObject([
    { body: 'pong' },
    { body: '1 count\n2\ncount', status: 4000 },
  ]);
});

test('a client that leaves ends a list', async () => {
  const { host, url, logged } = await startHost([
    { path: '/list', on_connect: { send: ['one', { body: 'two', delay: '1h' }] } },
  ]);
  host.clock.freeze(true);
  const client = await Client.connect(`${url}/list`);
  expect(await client.next()).toBe('one');
  client.socket.terminate();
  await eventually(() => logged('CLOSE').length === 1);
  expect(logged('CONNECT')).toMatchObject([{ aborted: true }]);
  expect(host.streams.list()).toEqual([]);
});

test('a list waits for a client that does not read', async () => {
  const length = 300;
  const { host, url } = await startHost([
    {
      path: '/list',
      on_connect: { send: Array.from({ length }, () => `{{seq "made"}} ${'x'.repeat(100_000)}`) },
    },
    { path: '/count', on_connect: { send: '{{seq "made"}}' } },
  ]);
  const reader = await Client.connect(`${url}/list`);
  reader.socket.pause();
  for (let before = await made(url); (await made(url)) !== before + 1;) before = await made(url);
  expect(await made(url)).toBeLessThan(length);
  expect(host.streams.list()[0]?.protocol).toBe('websocket');
  reader.socket.resume();
  let last = 0;
  for (let count = 0; count < length; count += 1) {
    const number = Number(String(await reader.next()).split(' ', 1)[0]);
    expect(number).toBeGreaterThan(last);
    last = number;
  }
});

async function made(url: string): Promise<number> {
  const client = await Client.connect(`${url}/count`);
  return Number(await client.next());
}
