import { createServer } from 'node:http';
import { createAdapter as createPubSubAdapter } from '@socket.io/redis-adapter';
import { createAdapter as createStreamsAdapter } from '@socket.io/redis-streams-adapter';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Server, type ServerOptions } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { afterThis, startHost } from './support.js';

type Adapter = NonNullable<ServerOptions['adapter']>;

/** A server of sockets and one client that is connected with it. */
async function open(adapter: Adapter): Promise<{ readonly server: Server; readonly client: Socket }> {
  const http = createServer();
  const server = new Server(http, { adapter });
  server.on('connection', (socket) => {
    socket.on('enter', (room: string, entered: () => void) => {
      void Promise.resolve(socket.join(room)).then(entered);
    });
    socket.on('say', (room: string, text: string) => server.to(room).emit('said', text));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  afterThis(() => server.close());
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = io(`http://127.0.0.1:${port}`, { transports: ['websocket'] });
  afterThis(() => {
    client.disconnect();
  });
  await new Promise<void>((resolve) => client.once('connect', resolve));
  return { server, client };
}

async function connect(port: number): Promise<Redis> {
  const client = new Redis({ port, host: '127.0.0.1' });
  afterThis(() => {
    client.disconnect();
  });
  await client.ping();
  return client;
}

const next = (client: Socket, event: string): Promise<unknown> =>
  new Promise((resolve) => client.once(event, resolve));

/** What two servers do with each other. */
async function converse(adapters: readonly [Adapter, Adapter]): Promise<void> {
  const one = await open(adapters[0]);
  const two = await open(adapters[1]);
  const sockets = async (): Promise<number> => (await one.server.fetchSockets()).length;
  expect(await sockets()).toBe(2);
  await one.client.emitWithAck('enter', 'blue');
  await two.client.emitWithAck('enter', 'blue');
  const said = Promise.all([next(one.client, 'said'), next(two.client, 'said')]);
  one.client.emit('say', 'blue', 'hello');
  expect(await said).toEqual(['hello', 'hello']);
  const only: unknown[] = [];
  one.client.on('news', (news) => only.push(news));
  const news = next(two.client, 'news');
  two.server.except(one.client.id ?? '').emit('news', 'for two');
  expect(await news).toBe('for two');
  const all = Promise.all([next(one.client, 'news'), next(two.client, 'news')]);
  one.server.emit('news', 'for all');
  await all;
  expect(only).toEqual(['for all']);
  const left = next(two.client, 'disconnect');
  one.server.in(two.client.id ?? '').disconnectSockets();
  await left;
  const heard = new Promise((resolve) => two.server.once('hello', resolve));
  one.server.serverSideEmit('hello', 'server');
  expect(await heard).toBe('server');
}

describe('socket.io', () => {
  it('two servers share rooms by channels (redis-adapter)', async () => {
    const { port } = await startHost();
    const adapter = async (): Promise<Adapter> =>
      createPubSubAdapter(await connect(port), await connect(port)) as Adapter;
    await converse([await adapter(), await adapter()]);
  });

  it('two servers share rooms by a stream (redis-streams-adapter)', async () => {
    const { port } = await startHost();
    const adapter = async (): Promise<Adapter> => createStreamsAdapter(await connect(port)) as Adapter;
    await converse([await adapter(), await adapter()]);
    const client = await connect(port);
    expect(await client.xlen('socket.io')).toBeGreaterThan(0);
  });
});
