import { describe, expect, it } from '@jest/globals';
import { amqp } from '@backlot/amqp';
import { collectCleanups, eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { createHost, type Kind, type Protocol } from '@backlot/core';
import { ftp } from '@backlot/ftp';
import { imap } from '@backlot/imap';
import { kafka } from '@backlot/kafka';
import { ldap } from '@backlot/ldap';
import { memcached } from '@backlot/memcached';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { redis } from '@backlot/redis';
import { stomp } from '@backlot/stomp';
import amqplib from 'amqplib';
import { Redis } from 'ioredis';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { AckPolicy, connect } from 'nats';

const afterThis = collectCleanups();

async function start(protocol: Protocol, settings: object = {}): Promise<Kind & { readonly port: string }> {
  const host = await createHost({
    protocols: [protocol],
    settings: { [protocol.kind]: { host: '127.0.0.1', ...settings } },
  });
  afterThis(() => host.stop(200));
  await host.start();
  const kind = host.kind(protocol.kind);
  return Object.assign(kind, { port: String(kind.address?.port) });
}

async function outputOf(tool: string, ...args: string[]): Promise<string> {
  const { out } = await runTool(tool, args);
  return out.replaceAll('\r\n', '\n').trim();
}

const any = function* (): Generator<void, boolean> {
  yield;
  return true;
};

/** The first entry of a section with these fields, as soon as there is one. */
async function entryWith(kind: Kind, section: string, fields: Readonly<Record<string, unknown>>) {
  const fits = function* (entry: unknown): Generator<void, boolean> {
    yield;
    const shown = entry as Readonly<Record<string, unknown>>;
    return Object.entries(fields).every(([name, value]) => shown[name] === value);
  };
  return (await kind.data.wait(section, fits, 1, 60_000))[0];
}

// Every row is checked by a client that nobody here wrote: what the one side puts in, the other side sees.
describe('data from outside', () => {
  itWithTool('amqp-get amqp-publish', 'is what AMQP clients see', async () => {
    const kind = await start(amqp);
    const url = `amqp://127.0.0.1:${kind.port}`;
    await kind.data.put('queues', {
      name: 'orders',
      bindings: [{ exchange: 'amq.topic', routing_key: '#' }],
    });
    expect(await kind.data.publish({ exchange: 'amq.topic', routing_key: 'a.b', json: { id: 7 } })).toEqual({
      queues: ['orders'],
    });
    expect(await outputOf('amqp-get', '-u', url, '-q', 'orders')).toBe('{"id":7}');
    await outputOf('amqp-publish', '-u', url, '-r', 'orders', '-b', 'from a client');
    expect(await entryWith(kind, 'queues', { messages: 1 })).toMatchObject({ name: 'orders' });
  });

  it('shows what a consumer of amqplib has not acknowledged', async () => {
    const kind = await start(amqp);
    await kind.data.put('queues', { name: 'jobs' });
    for (const body of ['1', '2', '3']) await kind.data.publish({ routing_key: 'jobs', body });
    const client = await amqplib.connect(`amqp://127.0.0.1:${kind.port}`);
    let isOpen = true;
    client.once('close', () => (isOpen = false));
    afterThis(() => (isOpen ? client.close() : undefined));
    const channel = await client.createChannel();
    await channel.prefetch(2);
    const taken: amqplib.ConsumeMessage[] = [];
    await channel.consume('jobs', (message) => void (message !== null && taken.push(message)));
    expect(await entryWith(kind, 'queues', { unacknowledged: 2 })).toMatchObject({
      name: 'jobs',
      messages: 1,
      consumers: 1,
    });
    await eventually(() => taken.length === 2);
    channel.ackAll();
    expect(await entryWith(kind, 'queues', { unacknowledged: 1 })).toMatchObject({ messages: 0 });
    await client.close();
    // What was not acknowledged waits again.
    expect(await entryWith(kind, 'queues', { unacknowledged: 0 })).toMatchObject({
      messages: 1,
      consumers: 0,
    });
  });

  itWithTool('kcat', 'is what Kafka clients see', async () => {
    const kind = await start(kafka);
    await kind.data.put('topics', { name: 'payments', partitions: 2 });
    const put = await kind.data.publish({ topic: 'payments', partition: 1, key: '7', json: { amount: 5 } });
    expect(put).toEqual({ topic: 'payments', partition: 1, offset: 0 });
    const broker = `127.0.0.1:${kind.port}`;
    expect(await outputOf('kcat', '-b', broker, '-t', 'payments', '-C', '-e', '-q', '-f', '%p %k %s')).toBe(
      '1 7 {"amount":5}',
    );
    await runTool('kcat', ['-b', broker, '-t', 'payments', '-p', '0', '-P'], { input: 'one\ntwo\n' });
    expect(kind.data.get('topics', 'payments')).toMatchObject({ records: 3 });
    await kind.data.put('groups', {
      group: 'late',
      offsets: [{ topic: 'payments', partition: 0, offset: 1 }],
    });
    expect(kind.data.get('groups', 'late')).toMatchObject({ state: 'Empty', lag: 1 });
  });

  it('shows how far a group of kafkajs is behind while it reads', async () => {
    const kind = await start(kafka);
    await kind.data.put('topics', { name: 'payments' });
    const client = new Kafka({
      brokers: [`127.0.0.1:${kind.port}`],
      clientId: 'reader',
      logLevel: logLevel.NOTHING,
    });
    const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    afterThis(() => producer.disconnect());
    await producer.connect();
    await producer.send({
      topic: 'payments',
      messages: ['a', 'b', 'c', 'd', 'e'].map((value) => ({ value })),
    });
    const consumer = client.consumer({ groupId: 'slow', maxWaitTimeInMs: 50 });
    let goOn: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (goOn = resolve));
    afterThis(() => {
      goOn();
      return consumer.disconnect();
    });
    await consumer.connect();
    await consumer.subscribe({ topic: 'payments', fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ topic, partition, message }) => {
        const offset = String(Number(message.offset) + 1);
        if (offset === '3') await released;
        await consumer.commitOffsets([{ topic, partition, offset }]);
      },
    });
    expect(await entryWith(kind, 'groups', { lag: 3 })).toMatchObject({
      group: 'slow',
      state: 'Stable',
      members: [{ client: 'reader' }],
      offsets: [{ topic: 'payments', partition: 0, offset: 2, lag: 3 }],
    });
    goOn();
    expect(await entryWith(kind, 'groups', { lag: 0 })).toMatchObject({ offsets: [{ offset: 5 }] });
    await consumer.disconnect();
    expect(await entryWith(kind, 'groups', { state: 'Empty' })).toMatchObject({ members: [], lag: 0 });
  });

  it('is what clients of NATS see, and shows the streams and consumers that they make', async () => {
    const kind = await start(nats, { jetstream: true });
    const client = await connect({ servers: `127.0.0.1:${kind.port}` });
    afterThis(() => client.close());
    const subscription = client.subscribe('orders.*', { max: 1 });
    await client.flush();
    const message = { subject: 'orders.created', json: { id: 7 }, headers: { source: 'test' } };
    expect(await kind.data.publish(message)).toEqual({ delivered: true, stored: false });
    for await (const got of subscription)
      expect([got.subject, got.headers?.get('source'), got.string()]).toEqual([
        'orders.created',
        'test',
        '{"id":7}',
      ]);
    const manager = await client.jetstreamManager();
    await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] });
    await manager.consumers.add('ORDERS', { durable_name: 'billing', ack_policy: AckPolicy.Explicit });
    expect(await kind.data.publish(message)).toEqual({ delivered: false, stored: true });
    const stream = { name: 'ORDERS', subjects: ['orders.>'], messages: 1, consumers: 1, last_seq: 1 };
    expect(await entryWith(kind, 'streams', { messages: 1 })).toMatchObject(stream);
    const consumer = { id: 'ORDERS.billing', stream: 'ORDERS', name: 'billing', pull: true };
    expect(kind.data.get('consumers', 'ORDERS.billing')).toMatchObject({ ...consumer, pending: 1 });
    const got = await (await client.jetstream().consumers.get('ORDERS', 'billing')).next();
    expect(got?.string()).toBe('{"id":7}');
    expect(await entryWith(kind, 'consumers', { unacknowledged: 1 })).toMatchObject({
      ...consumer,
      pending: 0,
    });
    got?.ack();
    expect(await entryWith(kind, 'consumers', { unacknowledged: 0 })).toMatchObject(consumer);
    await manager.consumers.delete('ORDERS', 'billing');
    expect(kind.data.size('consumers')).toBe(0);
  });

  itWithTool('mosquitto_sub mosquitto_pub', 'is what MQTT clients see', async () => {
    const kind = await start(mqtt);
    await kind.data.put('retained', { topic: 'lamps/7', payload: 'on' });
    const tool = ['-h', '127.0.0.1', '-p', kind.port];
    expect(await outputOf('mosquitto_sub', ...tool, '-t', 'lamps/+', '-C', '1')).toBe('on');
    await outputOf('mosquitto_pub', ...tool, '-t', 'lamps/8', '-m', 'off', '-r', '-q', '1');
    expect(kind.data.get('retained', 'lamps/8')).toMatchObject({ payload: 'off' });
    await kind.data.remove('retained', 'lamps/8');
    expect(kind.data.size('retained')).toBe(1);
  });

  itWithTool('redis-cli', 'is what Redis clients see', async () => {
    const kind = await start(redis);
    await kind.data.put('keys', { key: 'scores', database: 3, type: 'zset', value: { ada: 3, bob: 'inf' } });
    const tool = ['-p', kind.port, '-n', '3'];
    expect(await outputOf('redis-cli', ...tool, 'ZRANGE', 'scores', '0', '-1')).toBe('ada\nbob');
    await outputOf('redis-cli', ...tool, 'XADD', 'mails', '1-1', 'to', 'ann');
    await outputOf('redis-cli', ...tool, 'SETEX', 'pin', '60', '1234');
    expect(kind.data.get('keys', '3:scores')).toMatchObject({ value: { ada: 3, bob: 'inf' } });
    expect(kind.data.get('keys', '3:mails')).toMatchObject({
      type: 'stream',
      value: { '1-1': { to: 'ann' } },
    });
    expect(kind.data.get('keys', '3:pin')).toMatchObject({ value: '1234', expires_at: expect.any(String) });
    await kind.data.remove('keys', '3:pin');
    expect(await outputOf('redis-cli', ...tool, 'EXISTS', 'pin')).toBe('0');
  });

  it('reaches those who have subscribed to a channel of Redis', async () => {
    const kind = await start(redis);
    expect(await kind.data.publish({ channel: 'news', message: 'nobody' })).toEqual({ receivers: 0 });
    const client = new Redis({ host: '127.0.0.1', port: Number(kind.port) });
    afterThis(() => client.disconnect());
    await client.subscribe('news');
    await client.psubscribe('n*');
    const got: string[][] = [];
    client.on('message', (...words: string[]) => got.push(words));
    client.on('pmessage', (...words: string[]) => got.push(words));
    expect(await kind.data.publish({ channel: 'news', message: 'héllo' })).toEqual({ receivers: 2 });
    await eventually(() => got.length === 2);
    expect(got).toEqual([
      ['news', 'héllo'],
      ['n*', 'news', 'héllo'],
    ]);
  });

  itWithTool('ldapsearch', 'is what LDAP clients see', async () => {
    const kind = await start(ldap);
    const dn = 'uid=grace,dc=example,dc=org';
    await kind.data.put('entries', {
      dn,
      attributes: { objectClass: ['person'], sn: 'Hopper', cn: 'Grace' },
    });
    const search = ['-x', '-LLL', '-H', `ldap://127.0.0.1:${kind.port}`, '-b', 'dc=example,dc=org'];
    expect(await outputOf('ldapsearch', ...search, '(sn=hopper)', 'cn')).toBe(`dn: ${dn}\ncn: Grace`);
    await kind.data.remove('entries', dn);
    expect(await outputOf('ldapsearch', ...search, '(sn=hopper)', 'cn')).toBe('');
  });

  itWithTool('curl', 'is what FTP and IMAP clients see', async () => {
    const files = await start(ftp);
    await files.data.put('files', { path: '/in/a.csv', content: '1,2' });
    const url = `ftp://127.0.0.1:${files.port}/in`;
    expect(await outputOf('curl', '-s', `${url}/a.csv`)).toBe('1,2');
    await runTool('curl', ['-s', '-T', '-', `${url}/b.csv`], { input: '3,4' });
    expect(files.data.get('files', '/in/b.csv')).toMatchObject({ content: '3,4', size: 3 });
    const mail = await start(imap);
    expect(await mail.data.publish({ subject: 'Hello', body: 'there' })).toEqual({
      mailbox: 'INBOX',
      uid: 1,
    });
    const inbox = `imap://127.0.0.1:${mail.port}/INBOX;UID=1`;
    expect(await outputOf('curl', '-s', '--user', 'a:b', inbox)).toContain('Subject: Hello');
    expect(mail.data.get('mailboxes', 'inbox')).toMatchObject({ messages: 1, unseen: 0 });
    await mail.data.remove('messages', '1:INBOX');
    expect(mail.data.get('mailboxes', 'INBOX')).toMatchObject({ messages: 0 });
  });

  itWithTool('python3:stomp', 'is what STOMP clients see', async () => {
    const kind = await start(stomp);
    await kind.data.publish({ destination: '/queue/jobs', body: 'one', headers: { type: 'job' } });
    expect(kind.data.get('queues', '/queue/jobs')).toMatchObject({ messages: 1, consumers: 0 });
    const program = `
import stomp, threading
done = threading.Event()
class Listener(stomp.ConnectionListener):
    def on_message(self, *frame):
        f = frame[0]
        print(f.headers['type'], f.body, flush=True)
        done.set()
connection = stomp.Connection([('127.0.0.1', ${kind.port})])
connection.set_listener('', Listener())
connection.connect(wait=True)
connection.subscribe('/queue/jobs', id=1)
done.wait(60)
connection.disconnect()
`;
    expect(await outputOf(PYTHON, '-c', program)).toBe('job one');
    expect(await kind.data.wait('queues', any, 0, 60_000)).toEqual([]);
  });

  itWithTool('memcstat memccat', 'is what memcached clients see', async () => {
    const kind = await start(memcached);
    await kind.data.put('items', { key: 'greeting', value: 'hello' });
    expect(await outputOf('memccat', `--servers=127.0.0.1:${kind.port}`, 'greeting')).toBe('hello');
  });
});
