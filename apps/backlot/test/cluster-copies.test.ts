import { afterEach, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { Client as StompClient } from '@stomp/stompjs';
import amqp from 'amqplib';
import { Client as FtpClient } from 'basic-ftp';
import { ImapFlow } from 'imapflow';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { Client as LdapClient } from 'ldapts';
import { Client as MemcachedClient } from 'memjs';
import { connectAsync } from 'mqtt';
import { connect as connectNats } from 'nats';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { WebSocket } from 'ws';
import { makeFolder, startCommand, type StartedServer } from './command.js';
import { startNatsEngine } from './nats-engine.js';

const CONFIGURATION = `
protocols:
  redis: {port: 0, mode: stateful}
  memcached: {port: 0, mode: stateful}
  amqp: {port: 0}
  kafka: {port: 0}
  mqtt: {port: 0}
  nats: {port: 0, jetstream: true}
  stomp: {port: 0}
  ldap: {port: 0, base_dn: dc=test}
  smtp: {port: 0}
  imap:
    port: 0
    mailboxes:
      - {name: Archive, messages: [{subject: from the mock, body: hi}]}
  ftp:
    port: 0
    files:
      - {path: /given.txt, content: of the configuration}
      - {path: /changed.txt, content: before}
`;

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Asks until something is true. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** What clients of one kind store, and what they find later, by the ports of a replica. */
interface Kept {
  store(port: number): Promise<unknown>;
  find(port: number): Promise<unknown>;
  readonly found: unknown;
}

async function withRedis<T>(port: number, run: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 100, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  try {
    return await run(client);
  } finally {
    client.disconnect();
  }
}

async function withImap<T>(port: number, run: (client: ImapFlow) => Promise<T>): Promise<T> {
  const auth = { user: 'ann@shop.test', pass: 'any' };
  const client = new ImapFlow({
    ...{ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false },
  });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.logout();
  }
}

async function withStomp<T>(port: number, run: (client: StompClient) => Promise<T>): Promise<T> {
  const client = new StompClient({
    webSocketFactory: () => new WebSocket(`ws://127.0.0.1:${port}/`, ['v12.stomp']),
    reconnectDelay: 0,
  });
  await new Promise<void>((resolve) => {
    client.onConnect = () => resolve();
    client.activate();
  });
  try {
    return await run(client);
  } finally {
    await client.deactivate();
  }
}

async function withFtp<T>(port: number, run: (client: FtpClient) => Promise<T>): Promise<T> {
  const client = new FtpClient();
  try {
    await client.access({ host: '127.0.0.1', port, user: 'ann', password: 'any' });
    return await run(client);
  } finally {
    client.close();
  }
}

async function readFile(client: FtpClient, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await client.downloadTo(into, path);
  return Buffer.concat(chunks).toString('latin1');
}

const KINDS: Readonly<Record<string, Kept>> = {
  ftp: {
    store: (port) =>
      withFtp(port, async (client) => {
        await client.uploadFrom(Readable.from([Buffer.from('new')]), '/up.txt');
        await client.uploadFrom(Readable.from([Buffer.from([0, 255, 123, 123])]), '/up.bin');
        await client.appendFrom(Readable.from([Buffer.from(' and after')]), '/changed.txt');
        await client.rename('/up.txt', '/moved.txt');
        await client.remove('/given.txt');
        await client.ensureDir('/empty/below');
      }),
    find: (port) =>
      withFtp(port, async (client) => [
        (await client.list('/')).map(({ name }) => name).sort(),
        (await client.list('/empty')).map(({ name }) => name),
        await readFile(client, '/moved.txt'),
        await readFile(client, '/up.bin'),
        await readFile(client, '/changed.txt'),
      ]),
    found: [
      ['changed.txt', 'empty', 'moved.txt', 'up.bin'],
      ['below'],
      'new',
      '\u0000\u00ff{{',
      'before and after',
    ],
  },
  redis: {
    store: (port) =>
      withRedis(port, async (client) => {
        await client.set('text', 'caf\u00e9', 'EX', 10_000);
        await client.rpush('list', 'a', 'b');
        await client.hset('hash', { a: '1', b: '2' });
        await client.sadd('set', '1', '2', 'three');
        await client.zadd('scores', 1.5, 'one', 2, 'two');
        await client.xadd('stream', '5-1', 'a', '1');
        await client.xgroup('CREATE', 'stream', 'readers', '0');
        await client.select(3);
        await client.set('elsewhere', '3');
        await client.call('ACL', 'SETUSER', 'bob', 'on', '>pw', '~b:*', '+get');
        await client.call(
          'FUNCTION',
          'LOAD',
          "#!lua name=l\nredis.register_function('f', function() return 7 end)",
        );
      }),
    find: (port) =>
      withRedis(port, async (client) => [
        await client.get('text'),
        (await client.ttl('text')) > 9_000,
        await client.lrange('list', 0, -1),
        await client.hgetall('hash'),
        (await client.smembers('set')).sort(),
        await client.zrange('scores', '0', '-1', 'WITHSCORES'),
        await client.xrange('stream', '-', '+'),
        await client.xreadgroup('GROUP', 'readers', 'me', 'STREAMS', 'stream', '>'),
        await client.call('FCALL', 'f', '0'),
        (await client.select(3)) && (await client.get('elsewhere')),
        await client.call('AUTH', 'bob', 'pw'),
        await client.get('b:1'),
        await client.get('text').catch((error: Error) => error.message),
      ]),
    found: [
      ...['caf\u00e9', true, ['a', 'b'], { a: '1', b: '2' }, ['1', '2', 'three'], ['one', '1.5', 'two', '2']],
      ...[[['5-1', ['a', '1']]], [['stream', [['5-1', ['a', '1']]]]], 7, '3', 'OK', null],
      expect.stringContaining('NOPERM'),
    ],
  },
  memcached: {
    async store(port) {
      const client = MemcachedClient.create(`127.0.0.1:${port}`, { timeout: 60 });
      await client.set('a', 'stored', { expires: 0 });
      client.close();
    },
    async find(port) {
      const client = MemcachedClient.create(`127.0.0.1:${port}`, { timeout: 60 });
      const { value } = await client.get('a');
      client.close();
      return String(value);
    },
    found: 'stored',
  },
  amqp: {
    async store(port) {
      const connection = await amqp.connect(`amqp://127.0.0.1:${port}`);
      const channel = await connection.createConfirmChannel();
      await channel.assertExchange('orders', 'topic', { durable: true });
      await channel.assertQueue('all', { durable: true, arguments: { 'x-max-priority': 5 } });
      await channel.bindQueue('all', 'orders', 'order.#');
      channel.publish('orders', 'order.created', Buffer.from('1'), {
        headers: { a: { b: [1, 'two', true] } },
        priority: 1,
      });
      channel.publish('orders', 'order.paid', Buffer.from([0, 255]), { priority: 3, messageId: 'm' });
      await channel.waitForConfirms();
      await connection.close();
    },
    async find(port) {
      const connection = await amqp.connect(`amqp://127.0.0.1:${port}`);
      const channel = await connection.createChannel();
      const found: unknown[] = [];
      for (const _ of [1, 2]) {
        const message = await channel.get('all', { noAck: true });
        if (message === false) continue;
        const { messageId, headers } = message.properties;
        found.push([message.content.toString('hex'), message.fields.routingKey, messageId, headers]);
      }
      // Bindings are there as well.
      channel.publish('orders', 'order.late', Buffer.from('late'));
      await until(async () => (await channel.checkQueue('all')).messageCount === 1);
      await connection.close();
      return found;
    },
    found: [
      ['00ff', 'order.paid', 'm', {}],
      ['31', 'order.created', undefined, { a: { b: [1, 'two', true] } }],
    ],
  },
  kafka: {
    async store(port) {
      const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
      const producer = client.producer();
      await producer.connect();
      await producer.send({ topic: 'orders', messages: [{ key: 'a', value: '1' }, { value: '2' }] });
      await producer.disconnect();
      const admin = client.admin();
      await admin.connect();
      await admin.setOffsets({ groupId: 'g', topic: 'orders', partitions: [{ partition: 0, offset: '1' }] });
      await admin.disconnect();
    },
    async find(port) {
      const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
      const consumer = client.consumer({ groupId: 'new' });
      await consumer.connect();
      await consumer.subscribe({ topics: ['orders'], fromBeginning: true });
      const read: string[] = [];
      await consumer.run({
        async eachMessage({ message: { key, value } }) {
          await Promise.resolve(read.push(`${String(key)} ${String(value)}`));
        },
      });
      await until(() => read.length === 2);
      await consumer.disconnect();
      const admin = client.admin();
      await admin.connect();
      const [offsets] = await admin.fetchOffsets({ groupId: 'g', topics: ['orders'] });
      await admin.disconnect();
      return [
        read.sort(),
        offsets?.partitions.filter(({ partition }) => partition === 0).map(({ offset }) => offset),
      ];
    },
    found: [['a 1', 'null 2'], ['1']],
  },
  mqtt: {
    async store(port) {
      const url = `mqtt://127.0.0.1:${port}`;
      const away = await connectAsync(url, { clientId: 'away', clean: false });
      await away.subscribeAsync('orders/#', { qos: 1 });
      await away.endAsync();
      const client = await connectAsync(url);
      await client.publishAsync('last', 'retained', { retain: true, qos: 1 });
      await client.publishAsync('orders/1', 'kept', { qos: 1 });
      await client.endAsync();
    },
    async find(port) {
      const url = `mqtt://127.0.0.1:${port}`;
      const found: string[] = [];
      // The session is that of before, so that what was kept comes without a word.
      const away = await connectAsync(url, { clientId: 'away', clean: false }, false);
      away.on('message', (topic, body) => found.push(`${topic} ${String(body)}`));
      const client = await connectAsync(url);
      client.on('message', (topic, body) => found.push(`${topic} ${String(body)}`));
      await client.subscribeAsync('last');
      await until(() => found.length === 2);
      await away.endAsync();
      await client.endAsync();
      return found.sort();
    },
    found: ['last retained', 'orders/1 kept'],
  },
  nats: {
    async store(port) {
      const client = await connectNats({ servers: `127.0.0.1:${port}` });
      const manager = await client.jetstreamManager();
      await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] });
      await client.jetstream().publish('orders.1', 'first');
      await client.jetstream().publish('orders.2', 'second');
      await client.close();
    },
    async find(port) {
      const client = await connectNats({ servers: `127.0.0.1:${port}` });
      const manager = await client.jetstreamManager();
      const { state } = await manager.streams.info('ORDERS');
      const second = await manager.streams.getMessage('ORDERS', { seq: 2 });
      await client.close();
      return [state.messages, second.subject, second.string()];
    },
    found: [2, 'orders.2', 'second'],
  },
  stomp: {
    store: (port) =>
      withStomp(port, async (client) => {
        const received = new Promise((resolve) => client.watchForReceipt('r', resolve));
        client.publish({ destination: '/queue/orders', body: 'kept', headers: { mark: 'x', receipt: 'r' } });
        await received;
      }),
    find: (port) =>
      withStomp(port, async (client) => {
        const { body, headers } = await new Promise<{ body: string; headers: Record<string, string> }>(
          (resolve) => client.subscribe('/queue/orders', resolve),
        );
        return [body, headers['mark']];
      }),
    found: ['kept', 'x'],
  },
  ldap: {
    async store(port) {
      const client = new LdapClient({ url: `ldap://127.0.0.1:${port}` });
      await client.add('dc=test', { objectClass: ['domain'], dc: 'test' });
      await client.add('cn=Ann,dc=test', {
        objectClass: ['person'],
        cn: 'Ann',
        sn: 'Smith',
        description: ['a', 'b'],
      });
      await client.unbind();
    },
    async find(port) {
      const client = new LdapClient({ url: `ldap://127.0.0.1:${port}` });
      const { searchEntries } = await client.search('dc=test', { filter: '(sn=smith)' });
      await client.unbind();
      return searchEntries;
    },
    found: [{ dn: 'cn=Ann,dc=test', objectClass: 'person', cn: 'Ann', sn: 'Smith', description: ['a', 'b'] }],
  },
  imap: {
    store: (port) =>
      withImap(port, async (client) => {
        await client.mailboxCreate('Own');
        await client.append('Own', 'Subject: appended\r\n\r\nbody', ['\\Flagged']);
        await client.mailboxOpen('Archive');
        await client.messageFlagsAdd('1', ['\\Seen']);
        await client.mailboxOpen('INBOX');
        await until(async () => (await client.status('INBOX', { messages: true })).messages === 1);
        await client.messageFlagsAdd('1', ['\\Answered']);
      }),
    find: (port) =>
      withImap(port, async (client) => {
        const found: unknown[] = [];
        for (const box of ['Own', 'Archive', 'INBOX']) {
          await client.mailboxOpen(box);
          for await (const { envelope, flags } of client.fetch('1:*', { envelope: true, flags: true }))
            found.push([box, envelope?.subject, [...(flags ?? [])].filter((flag) => flag !== '\\Recent')]);
        }
        return found;
      }),
    found: [
      ['Own', 'appended', ['\\Flagged']],
      ['Archive', 'from the mock', ['\\Seen']],
      ['INBOX', 'delivered', ['\\Answered']],
    ],
  },
};

function portOf({ urls }: StartedServer, kind: string): number {
  return Number(/:(\d+)/.exec(urls[kind] ?? '')?.[1]);
}

interface View {
  readonly home: string | null;
  readonly copy?: { readonly from: string; readonly at: string };
}

async function viewOf({ urls }: StartedServer): Promise<View> {
  const response = await fetch(`${urls['api']}/api/cluster`, { headers: { connection: 'close' } });
  return (await response.json()) as View;
}

itWithTool(
  'nats-server',
  'what clients have stored outlives its home with --cluster-data snapshot',
  async () => {
    const folder = makeFolder();
    closers.push(() => folder.remove());
    writeFileSync(join(folder.path, 'backlot.yaml'), CONFIGURATION);
    const engine = await startNatsEngine(folder.path);
    closers.push(() => engine.stop());
    const start = async (name: string): Promise<StartedServer> => {
      const server = await startCommand(
        ['--cluster', engine.url, '--cluster-data', 'snapshot', '--replica', name, '--api-port=0'],
        { cwd: folder.path },
      );
      closers.push(() => server.stop());
      return server;
    };
    const one = await start('one');
    const two = await start('two');
    expect(one.errors()).not.toContain('but for');
    expect((await viewOf(two)).home).toBe('one');
    const mail = createTransport({
      host: '127.0.0.1',
      port: portOf(two, 'smtp'),
      tls: { rejectUnauthorized: false },
    });
    await mail.sendMail({ from: 'a@b.test', to: 'ann@shop.test', subject: 'delivered', text: 'hello' });
    mail.close();
    // By the ports of the one that is not the home.
    for (const [kind, { store }] of Object.entries(KINDS)) {
      await store(portOf(two, kind));
    }
    const inSpace = await fetch(`${one.urls['api']}/api/spaces`, {
      method: 'POST',
      body: JSON.stringify({ id: 't1', protocols: ['redis'] }),
      headers: { connection: 'close' },
    });
    expect(inSpace.status).toBe(201);
    const portInSpace = async ({ urls }: StartedServer): Promise<number> => {
      const response = await fetch(`${urls['api']}/api/spaces/t1`, { headers: { connection: 'close' } });
      return ((await response.json()) as { protocols: { redis: { port: number } } }).protocols.redis.port;
    };
    await withRedis(await portInSpace(one), (client) => client.set('own', 'of the space'));
    const stored = Date.now();
    // A copy is handed over when something has changed.
    await withRedis(portOf(two, 'redis'), (client) => client.incr('changes'));
    const copied = async (): Promise<boolean> => Date.parse((await viewOf(two)).copy?.at ?? '') > stored;
    await until(copied);

    one.child.kill('SIGKILL');
    await until(async () => (await viewOf(two)).home === 'two');
    expect(two.errors()).toContain('it begins with the copy that "one" made');
    for (const [kind, { find, found }] of Object.entries(KINDS))
      expect([kind, await find(portOf(two, kind))]).toEqual([kind, found]);
    expect(await withRedis(await portInSpace(two), (client) => client.get('own'))).toBe('of the space');

    // One that stops leaves a copy of all that was stored until then; a reset is not taken back.
    const three = await start('three');
    await withRedis(portOf(three, 'redis'), (client) => client.set('late', 'yes'));
    await two.stop();
    expect(await withRedis(portOf(three, 'redis'), (client) => client.get('late'))).toBe('yes');
    expect((await viewOf(three)).home).toBe('three');
  },
);
