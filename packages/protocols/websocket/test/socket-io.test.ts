import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { Server } from 'socket.io';
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { afterThis, startHost } from './support.js';

type Options = Partial<ManagerOptions & SocketOptions>;

/** A client that is closed after the test. */
function connect(url: string, options: Options = {}): Socket {
  const socket = io(url.replace(/^ws/, 'http'), { forceNew: true, reconnection: false, ...options });
  afterThis(() => void socket.disconnect());
  return socket;
}

/** What the next event with this name brings. */
function next(socket: Socket, event: string): Promise<unknown[]> {
  return new Promise((resolve) => socket.once(event, (...args: unknown[]) => resolve(args)));
}

const MOCKS: Json[] = [
  {
    id: 'lobby',
    dialect: 'socket.io',
    on_connect: { send: [{ event: 'welcome', args: ['hello {{request.auth.user}}', { n: 1 }] }] },
    on_message: [
      { event: 'ping', ack: ['pong', '{{request.args.0}}'] },
      { event: 'echo', ack: ['echo', '{{request.args.0}}'] },
      {
        event: 'say',
        args: ['*', { loud: true }],
        send: [{ event: 'said', args: ['{{upper request.args.0}}!'] }],
      },
      { event: 'say', send: [{ event: 'said', args: ['{{request.args.0}}'] }] },
      { event: 'upload', ack: ['{{request.args.0}}', { base64: 'AQID' }] },
      { event: 're:^room:(?P<name>\\w+)$', ack: ['{{request.params.name}} in {{request.namespace}}'] },
      { event: 'out', ack: ['bye'], close: true },
      { event: 'quiet' },
    ],
  },
  {
    id: 'admin',
    dialect: 'socket.io',
    namespace: '/admin',
    state: { key: 'admin', value: 'open' },
    on_connect: {},
    on_message: [{ event: 'who', ack: ['admin'] }],
  },
  {
    id: 'shut',
    dialect: 'socket.io',
    namespace: '/admin',
    on_connect: { error: { message: 'not yet', data: { retry: '{{request.auth.user}}' } } },
  },
  {
    id: 'dynamic',
    dialect: 'socket.io',
    namespace: '/rooms/{room}',
    on_message: [{ event: 'where', ack: ['{{request.params.room}}'] }],
  },
];

/** The same server, with the library itself. */
async function startReal(): Promise<string> {
  const server = createServer();
  const real = new Server(server, { allowEIO3: true });
  real.on('connection', (socket) => {
    socket.emit('welcome', `hello ${String(socket.handshake.auth['user'])}`, { n: 1 });
    socket.on('ping', (value, ack) => ack('pong', value));
    socket.on('echo', (value, ack) => ack('echo', value));
    socket.on('say', (text: string, how?: { loud?: boolean }) =>
      socket.emit('said', how?.loud === true ? `${text.toUpperCase()}!` : text),
    );
    socket.on('upload', (bytes, ack) => ack(bytes, Buffer.from([1, 2, 3])));
    socket.on('room:blue', (ack) => ack('blue in /'));
    socket.on('out', (ack) => {
      ack('bye');
      socket.disconnect();
    });
  });
  real.of('/admin').use((socket, goOn) => {
    const error = new Error('not yet') as Error & { data: unknown };
    error.data = { retry: socket.handshake.auth['user'] as string };
    goOn(error);
  });
  real.of(/^\/rooms\/\w+$/).on('connection', (socket) => {
    socket.on('where', (ack) => ack(socket.nsp.name.slice('/rooms/'.length)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThis(() => real.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Everything there is to say, and what came back. */
async function talk(url: string, options: Options): Promise<unknown[]> {
  const heard: unknown[] = [];
  const socket = connect(url, { auth: { user: 'ann' }, ...options });
  heard.push(...(await next(socket, 'welcome')));
  heard.push(await new Promise((resolve) => socket.emit('ping', 7, (...args: unknown[]) => resolve(args))));
  socket.emit('say', 'hey', { loud: true });
  heard.push(await next(socket, 'said'));
  socket.emit('say', 'grüß dich');
  heard.push(await next(socket, 'said'));
  const bytes = await new Promise((resolve) =>
    socket.emit('upload', Buffer.from([0, 255]), (...args: Uint8Array[]) =>
      resolve(args.map((each) => [...each])),
    ),
  );
  heard.push(bytes, await socket.emitWithAck('room:blue'));
  const large = 'x'.repeat(300_000);
  heard.push(
    (
      (await new Promise<unknown>((resolve) =>
        socket.emit('ping', large, (...args: unknown[]) => resolve(args)),
      )) as readonly [string, string]
    )[1].length,
  );
  const admin = connect(`${url}/admin`, { auth: { user: 'bob' }, ...options });
  const [refused] = (await next(admin, 'connect_error')) as [Error & { data?: unknown }];
  heard.push(refused.message, refused.data);
  const none = connect(`${url}/none`, options);
  heard.push(((await next(none, 'connect_error')) as [Error])[0].message);
  const room = connect(`${url}/rooms/green`, options);
  await next(room, 'connect');
  heard.push(await room.emitWithAck('where'));
  const transport = socket.io.engine.transport.name;
  const gone = next(socket, 'disconnect');
  heard.push(await socket.emitWithAck('out'), (await gone)[0], transport);
  return heard;
}

describe.each<[string, Options, string]>([
  ['default', {}, 'websocket'],
  ['websocket alone', { transports: ['websocket'] }, 'websocket'],
  ['polling alone', { transports: ['polling'] }, 'polling'],
])('socket.io-client, %s', (_name, options, transport) => {
  test('hears the same as from socket.io', async () => {
    const { url } = await startHost(MOCKS);
    const ours = await talk(url, options);
    expect(ours.at(-1)).toBe(transport);
    expect(ours).toEqual(await talk(await startReal(), options));
  });
});

/** The client of socket.io 2, whose types are gone. */
interface OldSocket {
  on(event: string, listener: (...args: unknown[]) => void): void;
  once(event: string, listener: (...args: unknown[]) => void): void;
  emit(event: string, ...args: unknown[]): void;
  disconnect(): void;
  readonly connected: boolean;
  readonly io: { readonly engine: { readonly transport: { readonly name: string } } };
}
const connectOld = createRequire(import.meta.url)('socket.io-client-2') as (
  url: string,
  options: object,
) => OldSocket;

/** The same with the client of socket.io 2. */
async function talkOld(url: string, options: object): Promise<unknown[]> {
  const open = (path: string): OldSocket => {
    const socket = connectOld(url.replace(/^ws/, 'http') + path, {
      forceNew: true,
      reconnection: false,
      ...options,
    });
    afterThis(() => socket.disconnect());
    return socket;
  };
  const once = (socket: OldSocket, event: string): Promise<unknown[]> =>
    new Promise((resolve) => socket.once(event, (...args) => resolve(args)));
  const ask = (socket: OldSocket, ...args: [string, ...unknown[]]): Promise<unknown[]> =>
    new Promise((resolve) => socket.emit(...args, (...answer: unknown[]) => resolve(answer)));
  const heard: unknown[] = [];
  const socket = open('/');
  const welcome = once(socket, 'welcome');
  await once(socket, 'connect');
  heard.push(...(await welcome).slice(1), await ask(socket, 'echo', 7));
  socket.emit('say', 'grüß', { loud: true });
  heard.push(await once(socket, 'said'));
  const bytes = (await ask(socket, 'upload', Buffer.from([0, 255]))) as Uint8Array[];
  heard.push(
    bytes.map((each) => [...each]),
    await ask(socket, 'room:blue'),
  );
  heard.push(((await ask(socket, 'echo', 'é'.repeat(200_000))) as string[])[1]?.length);
  const [refused] = await once(open('/admin'), 'error');
  heard.push(typeof refused);
  // A text as from socket.io 2; socket.io 4 answers its old clients with the object of its new ones.
  const [none] = (await once(open('/none'), 'error')) as [string | { readonly message: string }];
  heard.push(typeof none === 'string' ? none : none.message);
  const room = open('/rooms/green?token=x');
  await once(room, 'connect');
  heard.push(await ask(room, 'where'), socket.connected);
  const transport = socket.io.engine.transport.name;
  const gone = once(socket, 'disconnect');
  heard.push(await ask(socket, 'out'), (await gone)[0], transport);
  return heard;
}

describe.each<[string, object, string]>([
  ['default', {}, 'websocket'],
  ['websocket alone', { transports: ['websocket'] }, 'websocket'],
  ['polling alone', { transports: ['polling'] }, 'polling'],
  ['polling with base64', { transports: ['polling'], forceBase64: true }, 'polling'],
])('the client of socket.io 2, %s', (_name, options, transport) => {
  test('hears the same as from socket.io 4', async () => {
    const { url } = await startHost(MOCKS);
    const ours = await talkOld(url, options);
    expect(ours.at(-1)).toBe(transport);
    expect(ours).toEqual(await talkOld(await startReal(), options));
  });
});

test('what is no packet of engine.io 3 is refused', async () => {
  const { url } = await startHost(MOCKS);
  const at = `${url.replace(/^ws/, 'http')}/socket.io/?EIO=3&transport=polling`;
  const opened = await (await fetch(at)).text();
  expect(opened).toMatch(/^\d+:0\{"sid":"/);
  const bodies: (string | Uint8Array)[] = [
    ...['x', '99999999999:4', '3:42', '0:', '5:b5AAA', '4:b4?!', '1:9'],
    ...[Buffer.of(0, 255), Buffer.of(1, 1, 255, 5), Buffer.of(2, 1, 255, 4), Buffer.of(0, 1)],
  ];
  for (const body of bodies) {
    const { sid } = JSON.parse((await (await fetch(at)).text()).replace(/^\d+:0/, '')) as { sid: string };
    const answer = await fetch(`${at}&sid=${sid}`, { method: 'POST', body: body as never });
    expect({ body, status: answer.status }).toEqual({ body, status: 400 });
    await answer.text();
  }
});

test('the journal, the streams and explain speak of events', async () => {
  const { host, url, logged } = await startHost(MOCKS);
  const socket = connect(url, { auth: { user: 'ann' } });
  await next(socket, 'welcome');
  await socket.emitWithAck('ping', 1);
  expect(host.streams.list()).toMatchObject([{ protocol: 'websocket', mock_id: 'lobby' }]);
  const pushed = next(socket, 'news');
  expect(
    host.streams.push({ protocol: 'websocket', mock_id: 'lobby' }, { event: 'news', args: [1, 'two'] }),
  ).toBe(1);
  expect(await pushed).toEqual([1, 'two']);
  const to = { protocol: 'websocket', mock_id: 'lobby' };
  expect(() => host.streams.push(to, 'text')).toThrow('must be an event');
  expect(() => host.streams.push(to, { target: 'x' })).toThrow(
    'must be {event, args} in the dialect socket.io',
  );
  const gone = next(socket, 'disconnect');
  host.streams.close(to, undefined);
  expect(await gone).toEqual(['io server disconnect']);
  await eventually(() => logged('CLOSE').length === 1);
  expect(logged('CONNECT')).toMatchObject([
    {
      path: '/socket.io/',
      matched_id: 'lobby',
      status: 101,
      body: '{"namespace":"/","auth":{"user":"ann"}}',
    },
  ]);
  expect(logged('MESSAGE')).toMatchObject([
    {
      matched_id: 'lobby',
      body: '{"namespace":"/","event":"ping","args":[1]}',
      response: { body: '{"ack":["pong",1]}' },
    },
  ]);
  expect(logged('CLOSE')).toMatchObject([{ status: 1000, body: '{"namespace":"/"}' }]);
  const explain = (entry: Json): unknown => host.kind('websocket').explain(entry);
  expect(explain({ path: '/socket.io/', body: '{"namespace":"/","event":"ping","args":[1]}' })).toMatchObject(
    {
      mock_id: 'lobby',
    },
  );
  expect(explain({ dialect: 'socket.io', event: 'who', namespace: '/admin' })).toMatchObject({
    outcome: 'unmatched',
  });
  expect(explain({ dialect: 'socket.io', namespace: '/rooms/a', event: 'no' })).toMatchObject({
    outcome: 'unmatched',
    others: expect.arrayContaining([
      { mock_id: 'dynamic', reason: 'event: got "no", want "where"' },
    ]) as unknown,
  });
});

test('delays, state and unmatched events', async () => {
  const { host, url, logged } = await startHost([
    {
      dialect: 'socket.io',
      on_message: [
        { event: 'slow', ack: ['late'], delay: '1h' },
        {
          event: 'list',
          send: [
            { event: 'item', args: [1] },
            { event: 'item', args: [2], delay: '1h' },
          ],
        },
        { event: 'fast', ack: ['now'] },
      ],
    },
    ...MOCKS.slice(1),
  ]);
  host.clock.freeze(true);
  const socket = connect(url);
  await next(socket, 'connect');
  const slow = socket.emitWithAck('slow');
  const first = next(socket, 'item');
  socket.emit('list');
  expect(await first).toEqual([1]);
  // What answers which is said by the acknowledgement: nothing waits for the delay of another.
  expect(await socket.emitWithAck('fast')).toBe('now');
  const second = next(socket, 'item');
  await host.clock.advance(3_600_000);
  expect([await slow, await second]).toEqual(['late', [2]]);
  socket.emit('unknown', 1);
  await socket.emitWithAck('fast');
  expect(
    logged('MESSAGE').find(({ body }) => String(body).includes('unknown'))?.['near_misses'],
  ).toHaveLength(3);
  host.state.setAll({ admin: 'open' });
  const admin = connect(`${url}/admin`);
  await next(admin, 'connect');
  expect(await admin.emitWithAck('who')).toBe('admin');
});

test('faults refuse connections, close them, and know events', async () => {
  const { host, url } = await startHost(MOCKS);
  const kind = host.kind('websocket');
  kind.fault?.set({ message: 'come later' });
  const refused = connect(url);
  expect(((await next(refused, 'connect_error')) as [Error])[0].message).toBe('come later');
  kind.fault?.set({ match: { dialect: 'socket.io', on_message: [{ event: 'ping' }] }, close_code: 4001 });
  const socket = connect(url);
  await next(socket, 'connect');
  expect(await socket.emitWithAck('room:a')).toBe('a in /');
  const gone = next(socket, 'disconnect');
  socket.emit('ping', 1);
  expect((await gone)[0]).toBe('transport close');
  kind.fault?.clear();
});

const SCRIPT = `
import queue, socketio, sys
heard = queue.Queue()
client = socketio.Client()
client.on("*", lambda event, *args: heard.put((event, *args)))
client.connect(sys.argv[1], auth={"user": "ann"}, transports=sys.argv[2].split(",") if sys.argv[2] else None)
print(*heard.get(timeout=10))
print(client.call("ping", 7))
client.emit("say", ("hey", {"loud": True}))
print(*heard.get(timeout=10))
print([list(each) for each in client.call("upload", b"\\x00\\xff")])
print(client.transport())
client.disconnect()
`;

describe('python3-socketio', () => {
  for (const module of ['requests', 'websocket']) {
    const transports = module === 'requests' ? 'polling' : '';
    itWithTool(`python3:socketio`, `talks with ${module}`, async () => {
      const { url } = await startHost(MOCKS);
      const { out } = await runTool(PYTHON, ['-c', SCRIPT, url.replace(/^ws/, 'http'), transports]);
      expect(out.trim().split('\n')).toEqual([
        "welcome hello ann {'n': 1}",
        "('pong', 7)",
        'said HEY!',
        '[[0, 255], [1, 2, 3]]',
        module === 'requests' ? 'polling' : 'websocket',
      ]);
    });
  }
});
