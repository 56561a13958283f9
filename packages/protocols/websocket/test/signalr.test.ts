import {
  HubConnectionBuilder,
  HubConnectionState,
  JsonHubProtocol,
  LogLevel,
  Subject,
  type HubConnection,
  type IHubProtocol,
} from '@microsoft/signalr';
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack';
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
      {
        target: 'Upload',
        args: ['notes'],
        result: {
          name: '{{request.args.0}}',
          first: '{{request.args.1.0}}',
          lines: '{{request.args.1}}',
          n: '{{request.args.2.0.n}}',
        },
      },
      { target: 'Echo', result: { same: '{{request.args.0}}' } },
      { target: 'Bytes', result: { base64: '/wA=' } },
    ],
  },
];

/** A client that is stopped after the test. */
async function connect(
  url: string,
  path = '/hubs/chat',
  protocol: IHubProtocol = new JsonHubProtocol(),
): Promise<HubConnection> {
  const hub = new HubConnectionBuilder()
    .withUrl(url.replace(/^ws/, 'http') + path)
    .withHubProtocol(protocol)
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
  expect(await talk(`{"protocol":"xml","version":1}${RS}`)).toEqual([
    `{"error":"The protocol 'xml' is not supported."}${RS}`,
    "close 1002 The protocol 'xml' is not supported.",
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
  const binary = `{"protocol":"messagepack","version":1}${RS}`;
  for (const bad of [
    Buffer.of(1, 0xc0),
    Buffer.of(2, 0x91, 9),
    Buffer.of(1, 0xc1),
    Buffer.of(3, 0x91, 6, 6),
    Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff),
    Buffer.concat([Buffer.of(0xe8, 0x07), Buffer.alloc(1000, 0x91)]),
    Buffer.of(5, 0xdd, 0xff, 0xff, 0xff, 0xff),
  ]) {
    const heard = await talk(binary, bad);
    expect(heard.at(-1)).toContain('close 1002');
  }
  const heard = await talk(binary, 'a text');
  expect(heard.at(-1)).toContain('close 1002 a text is no message of the MessagePack protocol');
});

test('what a client streams is bounded', async () => {
  const { url } = await startHost(MOCKS);
  const client = await Client.connect(`${url}/hubs/x`);
  client.send(`{"protocol":"json","version":1}${RS}`);
  for (let count = 0; count < 2; count += 1) await client.next();
  const streaming = (id: string, ...streams: string[]): string =>
    `${JSON.stringify({ type: 1, invocationId: id, target: 'Add', arguments: [1], streamIds: streams })}${RS}`;
  const send = (...records: string[]): void => client.send(records.join(''));
  send(streaming('a', '1'), streaming('b', '1'));
  expect(await client.next()).toContain(
    '"invocationId":"b","error":"The stream id \\"1\\" is no text or is in use."',
  );
  send(streaming('c', ...Array.from({ length: 100 }, (_, index) => `s${index}`)));
  expect(await client.next()).toContain(
    '"invocationId":"c","error":"More than 100 streams of a client are open."',
  );
  const item = `{"type":2,"invocationId":"1","item":1}${RS}`;
  send(item.repeat(6000));
  send(item.repeat(6000));
  expect(await client.next()).toContain('"invocationId":"a","error":"The streams have more than 10000 items');
  // The rest of it is nobody's, and other invocations go on.
  send(`{"type":3,"invocationId":"1"}${RS}`, streaming('d', '1'), `{"type":5,"invocationId":"d"}${RS}`);
  expect(await client.next()).toBe(`{"type":3,"invocationId":"d"}${RS}`);
  send(
    `{"type":3,"invocationId":"1"}${RS}`,
    '{"type":1,"invocationId":"e","target":"Void","arguments":[]}' + RS,
  );
  expect(await client.next()).toBe(`{"type":3,"invocationId":"e"}${RS}`);
});

test.each([
  ['json', new JsonHubProtocol()],
  ['messagepack', new MessagePackHubProtocol()],
])('@microsoft/signalr streams to the hub, in %s', async (_name, protocol) => {
  const { url, host } = await startHost(MOCKS);
  const hub = await connect(url, '/hubs/chat', protocol);
  const upload = new Subject<unknown>();
  const other = new Subject<unknown>();
  const invoked = hub.invoke('Upload', upload, 'notes', other);
  for (const line of ['one', 'two']) upload.next(line);
  other.next({ n: 1 });
  upload.complete();
  other.complete();
  expect(await invoked).toEqual({ name: 'notes', first: 'one', lines: ['one', 'two'], n: 1 });
  const failing = new Subject<unknown>();
  const refused = hub.invoke('Upload', 'notes', failing);
  failing.error(new Error('no more'));
  await expect(refused).rejects.toThrow('The client ended its stream with an error: no more');
  expect(
    host.journal.list().filter(({ body }) => body?.includes('["one","two"],[{"n":1}]') === true),
  ).toHaveLength(1);
});

test('@microsoft/signalr speaks MessagePack, with all that JSON has and with bytes', async () => {
  const { host, url } = await startHost(MOCKS);
  const hub = await connect(url, '/hubs/chat', new MessagePackHubProtocol());
  expect(await hub.invoke('Add', 1, 2)).toEqual({ sum: 2, of: 'Add' });
  await expect(hub.invoke('Fail', 'way')).rejects.toThrow('no way');
  expect(await hub.invoke('Void')).toBeFalsy();
  expect(await collect(hub, 'Count', 2)).toEqual([1, 2, { n: 3 }, 'complete']);
  const values = [
    0,
    -1,
    -33,
    127,
    128,
    70_000,
    -70_000,
    2 ** 40,
    -(2 ** 40),
    1.5,
    'é'.repeat(300),
    true,
    null,
    [[]],
    {},
  ];
  expect(await hub.invoke('Echo', values)).toEqual({ same: values });
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, index]));
  expect(await hub.invoke('Echo', many)).toEqual({ same: many });
  const bytes = Uint8Array.of(1, 2, 255);
  expect(await hub.invoke('Bytes', bytes)).toEqual(Uint8Array.of(255, 0));
  const said = new Promise((resolve) => hub.on('said', (...args: unknown[]) => resolve(args)));
  await hub.send('Say', 'hello');
  expect(await said).toEqual(['hello', true]);
  const closed = new Promise<string>((resolve) => hub.onclose((error) => resolve(String(error?.message))));
  host.streams.close({ protocol: 'websocket', mock_id: 'hub' }, 'enough');
  expect(await closed).toContain('enough');
});
