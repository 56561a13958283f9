import { describe, expect, test } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { Client, startHost } from './support.js';

describe('a mock is refused', () => {
  test.each<[string, Json, string]>([
    ['without a path', { on_message: [] }, '/path'],
    ['without a path in signalr', { dialect: 'signalr' }, '/path'],
    ['for an unknown dialect', { path: '/', dialect: 'sockjs' }, '/dialect'],
    ['for a namespace without a dialect', { path: '/', namespace: '/a' }, '/namespace'],
    ['for a topic in socket.io', { dialect: 'socket.io', topic: 'a' }, '/topic'],
    ['for a framing in a dialect', { dialect: 'phoenix', framing: 'line' }, '/framing'],
    ['for match in a dialect', { dialect: 'phoenix', on_message: [{ match: 'a' }] }, '/on_message/0/match'],
    ['for ack in signalr', { path: '/', dialect: 'signalr', on_message: [{ ack: [] }] }, '/on_message/0/ack'],
    ['for event without a dialect', { path: '/', on_message: [{ event: 'a' }] }, '/on_message/0/event'],
    ['for reply in socket.io', { dialect: 'socket.io', on_connect: { reply: 1 } }, '/on_connect/reply'],
    ['for a text that is sent', { dialect: 'socket.io', on_connect: { send: 'a' } }, '/on_connect/send'],
    ['for a text among events', { dialect: 'phoenix', on_connect: { send: ['a'] } }, '/on_connect/send/0'],
    [
      'for a target in phoenix',
      { dialect: 'phoenix', on_message: [{ send: [{ event: 'a', target: 'b' }] }] },
      '/on_message/0/send/0/target',
    ],
    [
      'for result and error',
      { path: '/', dialect: 'signalr', on_message: [{ result: 1, error: 'a' }] },
      '/on_message/0/error',
    ],
    [
      'for result and items',
      { path: '/', dialect: 'signalr', on_message: [{ result: 1, items: [1] }] },
      '/on_message/0/items',
    ],
    [
      'for an interval of nothing',
      { path: '/', dialect: 'signalr', on_message: [{ interval: '1s' }] },
      '/on_message/0/interval',
    ],
    [
      'for args that are no list',
      { dialect: 'socket.io', on_message: [{ args: { a: 1 } }] },
      '/on_message/0/args',
    ],
  ])('%s', async (_why, mock, path) => {
    const { host } = await startHost();
    let thrown: unknown;
    try {
      host.kind('websocket').mocks.create(mock);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'invalid',
      details: expect.arrayContaining([expect.objectContaining({ path })]) as unknown,
    });
  });
});

test.each([
  ['graphql', /is the kind graphql, which takes it beside HTTP on its own port, or on that of HTTP/],
  ['stomp', /is the kind stomp, which takes it beside TCP on its own port/],
])('the dialect %s is told to be a kind', async (dialect, message) => {
  const { host } = await startHost();
  const mock = { path: '/', dialect };
  expect(() => host.kind('websocket').mocks.create(mock)).toThrow(message);
  expect(() => host.faults.set('websocket', { match: mock })).toThrow(message);
});

const ECHO: Json = {
  dialect: 'socket.io',
  on_message: [
    { event: 'echo', ack: ['{{request.args}}'] },
    { event: 'far', send: [{ event: 'far' }] },
  ],
};

test('what is no socket.io closes the connection, and affects no other', async () => {
  const { url } = await startHost([ECHO]);
  const good = await open(url);
  for (const bad of [
    '9',
    'x',
    '4',
    '4x',
    '42{"a":1}',
    '42["connect"]',
    '42[{}]',
    '40[1]',
    '45101-["a"]',
    '45-["a"]',
    `42["echo",${'['.repeat(5000)}${']'.repeat(5000)}]`,
    Buffer.from([1]),
  ]) {
    const client = await open(url);
    expect(await client.ask(bad)).toMatch(/^close 1002 /);
  }
  expect(await good.ask('420["echo",1,{"__proto__":{"a":1}}]')).toBe('430[[1,{"__proto__":{"a":1}}]]');
});

test('bytes go to their places, also twice, and events to a namespace that was not entered nowhere', async () => {
  const { url, logged } = await startHost([ECHO]);
  const client = await open(url);
  client.send('451-1["echo",{"_placeholder":true,"num":0},{"a":[{"_placeholder":true,"num":0}]}]');
  expect(await client.ask(Buffer.from([7]))).toBe(
    '462-1[[{"_placeholder":true,"num":0},{"a":[{"_placeholder":true,"num":1}]}]]',
  );
  expect([await client.next(), await client.next()]).toEqual([Buffer.from([7]), Buffer.from([7])]);
  client.send('42/other,["echo"]');
  expect(await client.ask('40/other,')).toBe('44/other,{"message":"Invalid namespace"}');
  expect(await client.ask('42["far"]')).toBe('42["far"]');
  expect(logged('MESSAGE').map(({ body }) => body)).toContain(
    '{"namespace":"/other","event":"echo","args":[]}',
  );
  client.send('451-["echo",{"_placeholder":true,"num":5}]');
  expect(await client.ask(Buffer.from([7]))).toBe('close 1002 there is no attachment 5');
});

test('requests of long polling that cannot be served are answered as engine.io does', async () => {
  const { url, host } = await startHost([ECHO]);
  const base = `${url.replace('ws', 'http')}/socket.io/`;
  const ask = async (query: string, init?: RequestInit): Promise<unknown[]> => {
    const response = await fetch(`${base}?${query}`, init);
    const text = await response.text();
    return [response.status, text.startsWith('{') ? (JSON.parse(text) as { code: number }).code : text];
  };
  expect(await ask('EIO=2&transport=polling')).toEqual([400, 5]);
  expect(await ask('EIO=4&transport=carrier')).toEqual([400, 0]);
  expect(await ask('EIO=4&transport=websocket')).toEqual([400, 3]);
  expect(await ask('EIO=4&transport=polling&sid=none')).toEqual([400, 1]);
  expect(await ask('EIO=4&transport=polling', { method: 'POST', body: '40' })).toEqual([400, 2]);
  await expect(Client.connect(`${url}/socket.io/?EIO=4&transport=websocket&sid=none`)).rejects.toThrow('400');
  await expect(Client.connect(`${url}/socket.io/?EIO=2&transport=websocket`)).rejects.toThrow('400');
  const [, opened] = await ask('EIO=4&transport=polling');
  const { sid } = JSON.parse(String(opened).slice(1)) as { sid: string };
  const session = `EIO=4&transport=polling&sid=${sid}`;
  const post = (body: string): Promise<unknown[]> => ask(session, { method: 'POST', body });
  expect(await post('40\u001E420["echo",1]')).toEqual([200, 'ok']);
  expect(await ask(session)).toEqual([200, expect.stringMatching(/^40\{"sid":"\w+"\}\u001E430\[\[1\]\]$/)]);
  expect(host.streams.list()).toHaveLength(1);
  const waiting = ask(session);
  expect(await post('451-1["echo",{"_placeholder":true,"num":0}]\u001EbBw==')).toEqual([200, 'ok']);
  expect(await waiting).toEqual([200, '461-1[[{"_placeholder":true,"num":0}]]\u001EbBw==']);
  expect(await post('b*')).toEqual([400, 3]);
  expect(await ask(session)).toEqual([400, 1]);
  await eventually(() => host.streams.list().length === 0);
  const preflight = await fetch(`${base}?EIO=4`, {
    method: 'OPTIONS',
    headers: { origin: 'http://page', 'access-control-request-method': 'POST' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
    204,
    'http://page',
  ]);
  expect((await fetch(`${url.replace('ws', 'http')}/other`)).status).toBe(426);
});

test('a client that sends much and reads nothing holds up itself', async () => {
  const { url, host } = await startHost([
    { id: 'held', dialect: 'socket.io', on_message: [{ event: 'a', ack: ['b'], delay: '1h' }] },
  ]);
  host.clock.freeze(true);
  const client = await open(url);
  for (let count = 0; count < 3000; count += 1) client.send(`42${count}["a"]`);
  await eventually(() => host.kind('websocket').calls.of('held').count === 1000);
  await host.clock.advance(3_600_000);
  for (let count = 0; count < 1000; count += 1) expect(await client.next()).toBe(`43${count}["b"]`);
  await host.clock.advance(3_600_000);
  expect(await client.next()).toBe('431000["b"]');
});

test('functions answer in the terms of a dialect', async () => {
  const { host, url } = await startHost();
  host.kind('websocket').mocks.create({
    dialect: 'socket.io',
    respond: ({ args }: { readonly args: readonly number[] }) => ({
      on_message: [{ ack: [args.reduce((sum, each) => sum + each, 0)] }],
    }),
  });
  const client = await open(url);
  expect(await client.ask('421["add",1,2,3]')).toBe('431[6]');
});

/** A client that has entered the namespace `/`. */
async function open(url: string): Promise<Client> {
  const client = await Client.connect(`${url}/socket.io/?EIO=4&transport=websocket`);
  expect(await client.next()).toMatch(/^0\{"sid":"\w+","upgrades":\[\],"pingInterval":25000/);
  expect(await client.ask('40')).toMatch(/^40\{"sid":"\w+"\}$/);
  return client;
}
