import { afterEach, expect } from '@jest/globals';
import { itWithTool, eventually, runTool } from '@backlot/conformance';
import amqp from 'amqplib';
import { Redis } from 'ioredis';
import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeFolder, startCommand, type StartedServer } from './command.js';
import { startNatsEngine } from './nats-engine.js';

const CONFIGURATION = `
protocols:
  redis: {port: 0, mode: stateful, tls: {enabled: true}}
  amqp: {port: 0}
`;

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function portOf({ urls }: StartedServer, kind: string): number {
  return Number(/:(\d+)/.exec(urls[kind] ?? '')?.[1]);
}

/** Asks until something is true. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function api({ urls }: StartedServer, path: string, body?: object): Promise<[number, string]> {
  const response = await fetch(`${urls['api']}/api${path}`, {
    headers: { connection: 'close' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return [response.status, await response.text()];
}

function redisOf(server: StartedServer, more: object = {}): Redis {
  const client = new Redis({
    host: '127.0.0.1',
    port: portOf(server, 'redis'),
    tls: { rejectUnauthorized: false },
    retryStrategy: () => 100,
    maxRetriesPerRequest: null,
    ...more,
  });
  client.on('error', () => undefined);
  closers.push(() => client.disconnect());
  return client;
}

itWithTool(
  'nats-server redis-cli',
  'what clients store is one for all replicas, until its home is killed',
  async () => {
    const folder = makeFolder();
    closers.push(() => folder.remove());
    writeFileSync(join(folder.path, 'backlot.yaml'), CONFIGURATION);
    const engine = await startNatsEngine(folder.path);
    closers.push(() => engine.stop());
    const start = async (name: string): Promise<StartedServer> => {
      const { url } = engine;
      const args = ['--cluster', url, '--replica', name, '--api-port=0'];
      const server = await startCommand(args, { cwd: folder.path });
      closers.push(() => server.stop());
      return server;
    };
    const one = await start('one');
    const two = await start('two');
    const clients = [redisOf(one), redisOf(two)] as const;
    await clients[0].set('a', '1');
    expect(await clients[1].incr('a')).toBe(2);
    // TLS ends at the home, which knows the address of the client.
    const own = String(await clients[1].client('LIST')).match(/\baddr=127\.0\.0\.1:\d+/g) ?? [];
    expect(new Set(own).size).toBe(2);
    expect(own).toContain(`addr=127.0.0.1:${(clients[1].stream as { localPort?: number }).localPort}`);
    for (const server of [one, two]) {
      const [status, text] = await api(server, '/redis/data/keys');
      expect([status, text]).toEqual([200, expect.stringContaining('"a"')]);
    }

    const [sender, receiver] = await Promise.all(
      [one, two].map((each) => amqp.connect(`amqp://127.0.0.1:${portOf(each, 'amqp')}`)),
    );
    for (const each of [sender, receiver]) {
      each?.on('error', () => undefined);
      closers.push(() => each?.close().catch(() => undefined));
    }
    const sending = await sender?.createChannel();
    const receiving = await receiver?.createChannel();
    await sending?.assertQueue('q');
    const received = new Promise((resolve) => {
      void receiving?.consume('q', (message) => resolve(String(message?.content)));
    });
    sending?.sendToQueue('q', Buffer.from('to all'));
    expect(await received).toBe('to all');
    // Published through the API of one that does not have the queue.
    await sending?.assertQueue('p');
    expect(await api(two, '/amqp/messages', { routing_key: 'p', body: 'by the API' })).toEqual([
      expect.any(Number),
      expect.stringContaining('p'),
    ]);
    expect(String(((await sending?.get('p')) || undefined)?.content)).toBe('by the API');

    // The port of a space is another one on each replica, and its data are the same.
    expect((await api(one, '/spaces', { id: 't1', protocols: ['redis'] }))[0]).toBe(201);
    const inSpace = await Promise.all(
      [one, two].map(async (server) => {
        const [, text] = await api(server, '/spaces/t1');
        return JSON.parse(text).protocols.redis.port as number;
      }),
    );
    const [left, right] = inSpace.map((each) => redisOf(one, { port: each }));
    await left?.set('s', 'space');
    expect(await right?.get('s')).toBe('space');
    expect(await right?.get('a')).toBeNull();

    const home = JSON.parse((await api(two, '/cluster'))[1]).home as string;
    expect(home).toBe('one');
    one.child.kill('SIGKILL');
    // Its clients come back by the port of the other one, which begins anew.
    expect(await clients[1].incr('a')).toBe(1);
    await eventually(() => two.errors().includes('what they had stored on the one before is lost'));
    const three = await start('three');
    expect(await redisOf(three).get('a')).toBe('1');
    expect(JSON.parse((await api(three, '/cluster'))[1]).home).toBe('two');
    const { out } = await runTool('redis-cli', [
      ...['--tls', '--insecure', '-p', String(portOf(three, 'redis'))],
      'get',
      'a',
    ]);
    expect(out.trim()).toBe('1');
  },
);

itWithTool('nats-server', 'a home that was paused answers nothing of what came meanwhile', async () => {
  const folder = makeFolder();
  closers.push(() => folder.remove());
  writeFileSync(join(folder.path, 'backlot.yaml'), 'protocols:\n  redis: {port: 0, mode: stateful}\n');
  const engine = await startNatsEngine(folder.path);
  closers.push(() => engine.stop());
  const start = async (name: string): Promise<StartedServer> => {
    const args = ['--cluster', engine.url, '--replica', name, '--api-port=0'];
    const server = await startCommand(args, { cwd: folder.path });
    closers.push(() => {
      server.child.kill('SIGCONT');
      return server.stop();
    });
    return server;
  };
  const [one, two] = [await start('one'), await start('two')];
  const old = connect(portOf(one, 'redis'), '127.0.0.1');
  closers.push(() => old.destroy());
  old.write('SET a old\r\n');
  await once(old, 'data');
  let isClosed = false;
  old.on('error', () => undefined).on('close', () => (isClosed = true));
  const late: string[] = [];
  old.on('data', (data) => late.push(String(data)));
  one.child.kill('SIGSTOP');
  // Its own system takes what comes, and keeps it until it goes on.
  old.write('GET a\r\n');
  await until(async () => (JSON.parse((await api(two, '/cluster'))[1]) as { home: unknown }).home === 'two');
  const other = redisOf(two, { tls: undefined });
  expect(await other.get('a')).toBeNull();
  await other.set('a', 'new');
  old.write('SET a twice\r\nGET a\r\n');
  one.child.kill('SIGCONT');
  await until(() => isClosed);
  expect(late).toEqual([]);
  await until(() => one.errors().includes('the home of what clients store no more'));
  // Whoever asks it now is answered by the new home.
  expect(await redisOf(one, { tls: undefined }).get('a')).toBe('new');
});
