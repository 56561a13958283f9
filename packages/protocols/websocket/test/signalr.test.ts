import { HubConnectionBuilder, HubConnectionState, LogLevel, type HubConnection } from '@microsoft/signalr';
import { expect, test } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { afterThis, Client, startHost } from './support.js';

const RS = '\u001E';

const MOCKS: Json[] = [
  {
    id: 'hub',
    path: '/hubs/{name}',
    dialect: 'signalr',
    on_connect: { send: [{ target: 'welcome', args: ['{{request.params.name}}'] }] },
    on_message: [
      {
        target: 'Add',
        args: [1, { gt: 1 }],
        result: { sum: '{{request.args.1}}', of: '{{request.target}}' },
      },
      { target: 'Fail', error: 'no {{request.args.0}}' },
      { target: 'Void' },
      { target: 'Count', items: [1, '{{request.args.0}}', { n: 3 }] },
      { target: 'Slow', items: ['a', 'b'], interval: '1h' },
      { target: 'List', result: [1, 2] },
      { target: 'Say', send: [{ target: 'said', args: ['{{request.args.0}}', true] }] },
      { target: 'Late', result: 'late', delay: '1h' },
      { target: 'Quit', close: true },
    ],
  },
];

/** A client that is stopped after the test. */
async function connect(url: string, path = '/hubs/chat'): Promise<HubConnection> {
  const hub = new HubConnectionBuilder()
    .withUrl(url.replace(/^ws/, 'http') + path)
    .configureLogging(LogLevel.None)
    .build();
  afterThis(() => hub.stop());
  const welcome = path.startsWith('/hubs') ? new Promise((resolve) => hub.on('welcome', resolve)) : undefined;
  await hub.start();
  if (welcome !== undefined) expect(await welcome).toBe('chat');
  return hub;
}

/** All that a stream brings, with how it ends. */
function collect(hub: HubConnection, target: string, ...args: unknown[]): Promise<unknown[]> {
  const items: unknown[] = [];
  return new Promise((resolve) => {
    hub.stream(target, ...args).subscribe({
      next: (item) => items.push(item),
      complete: () => resolve([...items, 'complete']),
      error: (error: Error) => resolve([...items, error.message]),
    });
  });
}

test('@microsoft/signalr negotiates, invokes, streams, and is sent events', async () => {
  const { host, url, logged } = await startHost(MOCKS);
  const hub = await connect(url);
  expect(await hub.invoke('Add', 1, 2)).toEqual({ sum: 2, of: 'Add' });
  await expect(hub.invoke('Add', 1, 1)).rejects.toThrow('Method does not exist');
  await expect(hub.invoke('Fail', 'way')).rejects.toThrow('no way');
  expect(await hub.invoke('Void')).toBeUndefined();
  expect(await collect(hub, 'Count', 2)).toEqual([1, 2, { n: 3 }, 'complete']);
  expect(await collect(hub, 'List')).toEqual([1, 2, 'complete']);
  expect(await collect(hub, 'Fail', 'stream')).toEqual(['no stream']);
  expect(await collect(hub, 'Nothing')).toEqual([
    "Failed to invoke 'Nothing' due to an error on the server. HubException: Method does not exist.",
  ]);
  await expect(hub.invoke('Count', 2)).rejects.toThrow('non-streaming invocation');
  const said = new Promise((resolve) => hub.on('said', (...args: unknown[]) => resolve(args)));
  await hub.send('Say', 'hey');
  expect(await said).toEqual(['hey', true]);
  const pushed = new Promise((resolve) => hub.on('news', (...args: unknown[]) => resolve(args)));
  const to = { protocol: 'websocket', mock_id: 'hub' };
  host.streams.push(to, { target: 'news', args: [{ a: 1 }] });
  expect(await pushed).toEqual([{ a: 1 }]);
  expect(() => host.streams.push(to, { event: 'x' })).toThrow(
    'must be {target, args} in the dialect signalr',
  );
  const closed = new Promise<Error | undefined>((resolve) => hub.onclose(resolve));
  host.streams.close(to, 'enough');
  expect((await closed)?.message).toContain('enough');
  await eventually(() => logged('CLOSE').length === 1);
  expect(logged('CONNECT')).toMatchObject([{ path: '/hubs/chat', matched_id: 'hub', status: 101 }]);
  expect(logged('MESSAGE')[0]).toMatchObject({
    body: '{"target":"Add","args":[1,2]}',
    response: { body: '{"result":{"sum":2,"of":"Add"}}' },
  });
});

test('answers that wait hold up nobody, and a stream that nobody wants any more ends', async () => {
  const { host, url, logged } = await startHost(MOCKS);
  host.clock.freeze(true);
  const hub = await connect(url);
  const late = hub.invoke('Late');
  const items: unknown[] = [];
  const stream = hub.stream('Slow').subscribe({
    next: (item) => items.push(item),
    complete: () => items.push('complete'),
    error: () => items.push('error'),
  });
  expect(await hub.invoke('Void')).toBeUndefined();
  await host.clock.advance(3_600_000);
  expect(await late).toBe('late');
  await eventually(() => items.length === 1);
  stream.dispose();
  await eventually(() => logged('MESSAGE').some((entry) => entry['aborted'] === true));
  await host.clock.advance(3_600_000);
  expect(items).toEqual(['a']);
  await hub.invoke('Quit').catch(() => undefined);
  await eventually(() => hub.state === HubConnectionState.Disconnected);
});

test('faults end invocations with an error, and refuse clients', async () => {
  const { host, url } = await startHost([
    ...MOCKS,
    { path: '/shut', dialect: 'signalr', on_connect: { error: 'closed for {{request.path}}' } },
  ]);
  const kind = host.kind('websocket');
  const hub = await connect(url);
  kind.fault?.set({ match: { dialect: 'signalr', on_message: [{ target: 'Add' }] }, message: 'not today' });
  await expect(hub.invoke('Add', 1, 2)).rejects.toThrow('not today');
  expect(await hub.invoke('Void')).toBeUndefined();
  kind.fault?.clear();
  await expect(connect(url, '/shut')).rejects.toThrow('closed for /shut');
  await expect(connect(url, '/none')).rejects.toThrow('426');
});

test('what is not the protocol closes the connection with its own message', async () => {
  const { url } = await startHost(MOCKS);
  const talk = async (...packets: (string | Buffer)[]): Promise<unknown[]> => {
    const client = await Client.connect(`${url}/hubs/x`);
    for (const packet of packets) client.send(packet);
    const heard: unknown[] = [];
    do heard.push(await client.next());
    while (!String(heard.at(-1)).startsWith('close'));
    return heard;
  };
  const hello = `{"protocol":"json","version":1}${RS}`;
  const greeted = [`{}${RS}`, `{"type":1,"target":"welcome","arguments":["x"]}${RS}`];
  expect(await talk(`{"protocol":"messagepack","version":1}${RS}`)).toEqual([
    `{"error":"The protocol 'messagepack' is not supported."}${RS}`,
    "close 1002 The protocol 'messagepack' is not supported.",
  ]);
  // A record may come in pieces, and several in one message.
  expect(await talk(hello.slice(0, 9), `${hello.slice(9)}{"type":6}${RS}{"type":9}${RS}`)).toEqual([
    ...greeted,
    expect.stringContaining('"type":7') as unknown,
    expect.stringContaining('close 1002') as unknown,
  ]);
  for (const bad of [
    'no JSON',
    '7',
    '{"type":1}',
    '{"type":4,"target":"a","arguments":[]}',
    '['.repeat(100_000),
  ]) {
    const heard = await talk(`${hello}${bad}${RS}`);
    expect(heard.at(-1)).toContain('close 1002');
  }
  expect((await talk(hello, Buffer.from([1]))).at(-1)).toContain('close 1002');
  const streaming = `{"type":1,"invocationId":"1","target":"Add","arguments":[],"streamIds":["1"]}${RS}`;
  expect(await talk(`${hello}${streaming}{"type":7}${RS}`)).toEqual(
    expect.arrayContaining([
      `{"type":3,"invocationId":"1","error":"A mock takes no streams from its client."}${RS}`,
      'close 1000',
    ]),
  );
});
