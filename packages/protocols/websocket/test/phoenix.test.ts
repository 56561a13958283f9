import { Socket, type Channel } from 'phoenix';
import { expect, test } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { WebSocket } from 'ws';
import { afterThis, Client, startHost } from './support.js';

const MOCKS: Json[] = [
  {
    id: 'rooms',
    dialect: 'phoenix',
    topic: 're:^room:(?P<room>\\w+)$',
    on_connect: {
      reply: { you: '{{request.payload.user}}' },
      send: [{ event: 'presence_state', payload: { room: '{{request.params.room}}' } }],
    },
    on_message: [
      { event: 'new_msg', payload: { body: 'ping' }, reply: { body: 'pong' } },
      {
        event: 'new_msg',
        reply: {},
        send: [
          { event: 'new_msg', payload: { body: '{{request.payload.body}}', from: '{{request.topic}}' } },
        ],
      },
      { event: 'bad', error: { reason: 'no {{request.event}}' } },
      {
        event: 'bytes',
        reply: '{{request.payload}}',
        send: [{ event: 'bytes', payload: '{{request.payload}}' }],
      },
      { event: 'slow', reply: 'late', delay: '1h' },
      { event: 'out', close: true },
    ],
  },
  { id: 'vip', dialect: 'phoenix', topic: 'vip', on_connect: { error: { reason: 'members only' } } },
];

/** A socket that is closed after the test. */
function open(url: string, options: object = {}): Socket {
  const socket = new Socket(`${url}/socket`, {
    transport: WebSocket,
    reconnectAfterMs: () => 1e6,
    ...options,
  });
  socket.connect();
  const { channels } = socket as unknown as { readonly channels: readonly Channel[] };
  afterThis(async () => {
    // A channel that is not left tries to join for ever.
    await Promise.all([...channels].map((channel) => settle(channel.leave() as never)));
    await new Promise<void>((resolve) => socket.disconnect(resolve));
  });
  return socket;
}

/** How a join or a push ends. */
function settle(push: ReturnType<Channel['join']>): Promise<[string, unknown]> {
  return new Promise((resolve) => {
    for (const status of ['ok', 'error', 'timeout'] as const)
      push.receive(status, (response: unknown) => resolve([status, response]));
  });
}

function next(channel: Channel, event: string): Promise<unknown> {
  return new Promise((resolve) => {
    const ref = channel.on(event, (payload: unknown) => {
      channel.off(event, ref);
      resolve(payload);
    });
  });
}

test.each([
  ['2.0.0', {}],
  ['1.0.0', { vsn: '1.0.0' }],
])('phoenix.js joins, pushes and is pushed to, version %s', async (version, options) => {
  const { host, url, logged } = await startHost(MOCKS);
  const old = version === '1.0.0';
  const encode = ({ topic, event, payload, ref, join_ref }: Json, send: (text: string) => void): void =>
    send(JSON.stringify({ topic, event, payload, ref, join_ref }));
  const decode = (text: string, take: (message: unknown) => void): void => take(JSON.parse(text));
  const socket = open(url, { ...options, ...(old && { encode, decode }) });
  const channel = socket.channel('room:blue', { user: 'ann' });
  const state = next(channel, 'presence_state');
  expect(await settle(channel.join())).toEqual(['ok', { you: 'ann' }]);
  expect(await state).toEqual({ room: 'blue' });
  expect(await settle(channel.push('new_msg', { body: 'ping' }))).toEqual(['ok', { body: 'pong' }]);
  const message = next(channel, 'new_msg');
  expect(await settle(channel.push('new_msg', { body: 'hey' }))).toEqual(['ok', {}]);
  expect(await message).toEqual({ body: 'hey', from: 'room:blue' });
  expect(await settle(channel.push('bad', {}))).toEqual(['error', { reason: 'no bad' }]);
  expect(await settle(socket.channel('vip').join())).toEqual(['error', { reason: 'members only' }]);
  expect(await settle(socket.channel('other').join())).toEqual(['error', { reason: 'unmatched topic' }]);
  if (!old) {
    const bytes = next(channel, 'bytes');
    const [status, response] = await settle(channel.push('bytes', new Uint8Array([0, 255]).buffer));
    expect([status, [...new Uint8Array(response as ArrayBuffer)]]).toEqual(['ok', [0, 255]]);
    expect([...new Uint8Array((await bytes) as ArrayBuffer)]).toEqual([0, 255]);
  }
  const pushed = next(channel, 'news');
  const to = { protocol: 'websocket', mock_id: 'rooms' };
  expect(host.streams.push(to, { event: 'news', payload: { a: 1 } })).toBe(1);
  expect(await pushed).toEqual({ a: 1 });
  expect(() => host.streams.push(to, { event: 'x', args: [] })).toThrow(
    '{event, payload} in the dialect phoenix',
  );
  expect(await settle(channel.leave() as never)).toEqual(['ok', {}]);
  await eventually(() => logged('CLOSE').length === 1);
  expect(host.streams.list()).toEqual([]);
  expect(logged('CONNECT')[0]).toMatchObject({
    path: '/socket/websocket',
    matched_id: 'rooms',
    path_params: { room: 'blue' },
    body: '{"topic":"room:blue","payload":{"user":"ann"}}',
  });
  expect(logged('MESSAGE')[0]).toMatchObject({
    body: '{"topic":"room:blue","event":"new_msg","payload":{"body":"ping"}}',
    response: { body: '{"reply":{"body":"pong"}}' },
  });
});

test('the server closes a topic, and an error makes the client join again', async () => {
  const { host, url, logged } = await startHost(MOCKS);
  const socket = open(url, { rejoinAfterMs: () => 1 });
  const channel = socket.channel('room:a', {});
  await settle(channel.join());
  const errored = new Promise<void>((resolve) => channel.onError(() => resolve()));
  host.streams.close({ protocol: 'websocket', mock_id: 'rooms' }, 'boom');
  await errored;
  await eventually(() => logged('CONNECT').length === 2 && host.streams.list().length === 1);
  const closed = new Promise<void>((resolve) => channel.onClose(() => resolve()));
  // Nothing answers it, and its time-out would outlast the test.
  channel.push('out', {}, 1);
  await closed;
  expect(host.streams.list()).toEqual([]);
});

test('faults are replies with the status error; heartbeats are answered while answers wait', async () => {
  const { host, url } = await startHost(MOCKS);
  host.clock.freeze(true);
  const kind = host.kind('websocket');
  const client = await Client.connect(`${url}/socket/websocket?vsn=2.0.0`);
  const ok = (ref: string, topic: string, response: unknown): string =>
    JSON.stringify(['1', ref, topic, 'phx_reply', { status: 'ok', response }]);
  expect(await client.ask('["1","1","room:a","phx_join",{}]')).toBe(ok('1', 'room:a', { you: '' }));
  expect(await client.next()).toBe('["1",null,"room:a","presence_state",{"room":"a"}]');
  client.send('["1","2","room:a","slow",{}]');
  expect(await client.ask('[null,"3","phoenix","heartbeat",{}]')).toBe(
    '[null,"3","phoenix","phx_reply",{"status":"ok","response":{}}]',
  );
  kind.fault?.set({ match: { dialect: 'phoenix', topic: 'room:*', on_message: [{ event: 'bad' }] } });
  expect(await client.ask('["1","4","room:a","bad",{}]')).toBe(
    '["1","4","room:a","phx_reply",{"status":"error","response":{"reason":"fault injected"}}]',
  );
  expect(await client.ask('["9","5","room:b","new_msg",{}]')).toBe(
    '["9","5","room:b","phx_reply",{"status":"error","response":{"reason":"unmatched topic"}}]',
  );
  await host.clock.advance(3_600_000);
  expect(await client.next()).toBe(ok('2', 'room:a', 'late'));
  for (const bad of [
    'no JSON',
    '[1,2]',
    '{}',
    Buffer.from([0]),
    Buffer.from([0, 9, 9, 9, 9]),
    Buffer.alloc(5, 7),
  ]) {
    const other = await Client.connect(`${url}/socket/websocket?vsn=2.0.0`);
    expect(await other.ask(bad)).toMatch(/^close 1002 .* is no message of Phoenix/);
  }
});
