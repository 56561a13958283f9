import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, startHost, type Received } from './support.js';

const subscribe = (destination: string, ack = 'auto', id = '1', more = ''): string =>
  `SUBSCRIBE\nid:${id}\ndestination:${destination}\nack:${ack}\n${more}\n\0`;
const send = (destination: string, body: string, more = ''): string =>
  `SEND\ndestination:${destination}\n${more}\n${body}\0`;

async function take(client: RawClient, count: number): Promise<Received[]> {
  const messages: Received[] = [];
  while (messages.length < count) messages.push(await client.next('MESSAGE'));
  return messages;
}

/** The bodies of the messages that came, once everything sent before is there. */
async function bodiesSoFar(client: RawClient): Promise<string[]> {
  await client.request('SEND\ndestination:/topic/nobody\n\n\0');
  return client.frames.splice(0).map(({ body }) => body);
}

describe('a queue', () => {
  it('gives each message to one consumer, in turn', async () => {
    const { port } = await startHost();
    const consumers = [await RawClient.connect(port), await RawClient.connect(port)] as const;
    for (const consumer of consumers) await consumer.request(subscribe('/queue/a'));
    const sender = await RawClient.connect(port);
    for (let n = 0; n < 10; n += 1) await sender.request(send('/queue/a', String(n)));
    const got = [await bodiesSoFar(consumers[0]), await bodiesSoFar(consumers[1])];
    expect(got.map((bodies) => bodies.length)).toEqual([5, 5]);
    expect(got.flat().sort()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  it('keeps messages until somebody consumes them, in their order', async () => {
    const { port } = await startHost();
    const sender = await RawClient.connect(port);
    for (const body of ['one', 'two', 'three']) sender.send(send('/queue/a', body));
    await sender.request('DISCONNECT\n\n\0');
    const consumer = await RawClient.connect(port);
    await consumer.request(subscribe('/queue/a'));
    expect((await take(consumer, 3)).map(({ body }) => body)).toEqual(['one', 'two', 'three']);
    const second = await RawClient.connect(port);
    await second.request(subscribe('/queue/a'));
    expect(await bodiesSoFar(second)).toEqual([]);
  });

  it('sends a long backlog as fast as it is read, without cutting the consumer off', async () => {
    const { port } = await startHost();
    const sender = await RawClient.connect(port);
    const body = 'x'.repeat(10_000);
    for (let n = 0; n < 1_000; n += 1) sender.send(send('/queue/a', body));
    await sender.request('BEGIN\ntransaction:t\n\n\0');
    const consumer = await RawClient.connect(port);
    consumer.send(subscribe('/queue/a'));
    await consumer.until(() => consumer.frames.length === 1_000);
    expect(consumer.frames).toHaveLength(1_000);
  });

  it('redelivers what was not acknowledged when a connection is lost', async () => {
    const { port } = await startHost();
    const first = await RawClient.connect(port);
    await first.request(subscribe('/queue/a', 'client-individual'));
    for (const body of ['one', 'two', 'three']) await first.request(send('/queue/a', body));
    const [, second] = await take(first, 3);
    await first.request(`ACK\nid:${second?.headers['ack']}\n\n\0`);
    const other = await RawClient.connect(port);
    await other.request(subscribe('/queue/a', 'client'));
    first.socket.resetAndDestroy();
    const again = await take(other, 2);
    expect(again.map(({ body, headers }) => [body, headers['redelivered']])).toEqual([
      ['one', 'true'],
      ['three', 'true'],
    ]);
    await other.request(`ACK\nid:${again[1]?.headers['ack']}\n\n\0`);
    await other.request('DISCONNECT\n\n\0');
    const last = await RawClient.connect(port);
    await last.request(subscribe('/queue/a'));
    expect(await bodiesSoFar(last)).toEqual([]);
  });

  it('acknowledges all before in mode client, one in mode client-individual', async () => {
    const { port } = await startHost();
    for (const [mode, left] of [
      ['client', ['three']],
      ['client-individual', ['one', 'three']],
    ] as const) {
      const client = await RawClient.connect(port);
      await client.request(subscribe('/queue/a', mode));
      for (const body of ['one', 'two', 'three']) client.send(send('/queue/a', body));
      const messages = await take(client, 3);
      await client.request(`ACK\nid:${messages[1]?.headers['ack']}\n\n\0`);
      await client.request('UNSUBSCRIBE\nid:1\n\n\0');
      await client.request(subscribe('/queue/a', 'auto', '2'));
      const again = await take(client, left.length);
      expect(again.map(({ body }) => body)).toEqual(left);
      await client.request('DISCONNECT\n\n\0');
    }
  });

  it('redelivers after NACK, to another consumer where there is one', async () => {
    const { port } = await startHost();
    const first = await RawClient.connect(port);
    await first.request(subscribe('/queue/a', 'client'));
    await first.request(send('/queue/a', 'one'));
    await first.request(send('/queue/a', 'two'));
    const [, two] = await take(first, 2);
    const other = await RawClient.connect(port);
    await other.request(subscribe('/queue/a', 'auto'));
    await first.request(`NACK\nid:${two?.headers['ack']}\n\n\0`);
    const again = [await other.next('MESSAGE'), await first.next('MESSAGE')];
    expect(again.map(({ body }) => body).sort()).toEqual(['one', 'two']);
    for (const { headers } of again) expect(headers['redelivered']).toBe('true');
    const lone = await RawClient.connect(port);
    await lone.request(subscribe('/queue/b', 'client-individual'));
    await lone.request(send('/queue/b', 'three'));
    const { headers } = await lone.next('MESSAGE');
    await lone.request(`NACK\nid:${headers['ack']}\n\n\0`);
    const back = await lone.next('MESSAGE');
    expect(back.headers['message-id']).toBe(headers['message-id']);
    expect(back.headers['ack']).not.toBe(headers['ack']);
  });

  it.each(['1.0', '1.1'])('is acknowledged by message-id in %s', async (version) => {
    const { port } = await startHost();
    const client = await RawClient.connect(port, version);
    await client.request(subscribe('/queue/a', 'client', 's'));
    await client.request(send('/queue/a', 'one'));
    const { headers } = await client.next('MESSAGE');
    expect(headers['ack']).toBeUndefined();
    const id = `message-id:${headers['message-id']}\n`;
    await client.request(`NACK\nsubscription:s\n${id}\n\0`);
    expect((await client.next('MESSAGE')).headers['redelivered']).toBe('true');
    await client.request(`ACK\n${version === '1.0' ? '' : 'subscription:s\n'}${id}\n\0`);
    await client.request('UNSUBSCRIBE\nid:s\n\n\0');
    await client.request(subscribe('/queue/a', 'auto', 't'));
    expect(await bodiesSoFar(client)).toEqual([]);
    client.send(`ACK\nsubscription:s\n${id}\n\0`);
    expect((await client.next('ERROR')).headers['message']).toBe('unknown message');
  });

  it('sends no more than prefetch-count before an acknowledgement', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    await client.request(subscribe('/queue/a', 'client', '1', 'prefetch-count:2\n'));
    for (const body of ['one', 'two', 'three']) await client.request(send('/queue/a', body));
    const messages = await take(client, 2);
    expect(await bodiesSoFar(client)).toEqual([]);
    await client.request(`ACK\nid:${messages[0]?.headers['ack']}\n\n\0`);
    expect((await client.next('MESSAGE')).body).toBe('three');
  });

  it('drops the oldest beyond 10,000 messages, and says so once', async () => {
    const { port, log } = await startHost();
    const sender = await RawClient.connect(port);
    for (let n = 0; n < 10_003; n += 1) sender.send(send('/queue/a', String(n)));
    await sender.request('BEGIN\ntransaction:t\n\n\0');
    const consumer = await RawClient.connect(port);
    consumer.send(subscribe('/queue/a'));
    await consumer.until(() => consumer.frames.length === 10_000);
    expect(consumer.frames[0]?.body).toBe('3');
    expect(consumer.frames.at(-1)?.body).toBe('10002');
    expect(log).toEqual([expect.stringContaining('/queue/a')]);
  });

  it('holds at most 64 MiB, also while nobody acknowledges', async () => {
    const { port } = await startHost();
    const consumer = await RawClient.connect(port);
    await consumer.request(subscribe('/queue/a', 'client'));
    const sender = await RawClient.connect(port);
    const body = Buffer.alloc(4 * 1024 * 1024, 'x').toString();
    for (let n = 0; n < 24; n += 1) await sender.request(send('/queue/a', body));
    const before = consumer.frames.length;
    expect(before).toBeLessThan(18);
    // What is acknowledged makes room for what waited.
    await consumer.request(`ACK\nid:${consumer.frames.at(-1)?.headers['ack']}\n\n\0`);
    await sender.request(send('/queue/a', 'last'));
    await consumer.until(() => consumer.frames.at(-1)?.body === 'last');
    expect(consumer.frames.at(-1)?.body).toBe('last');
  });
});

describe('a topic', () => {
  it.each(['/topic/a', '/exchange/a/b', '/user/queue/a', 'plain.name'])(
    '%s gives each message to all',
    async (name) => {
      const { port } = await startHost();
      const clients = [await RawClient.connect(port), await RawClient.connect(port, '1.1')];
      for (const client of clients) await client.request(subscribe(name, 'auto', 'x'));
      await clients[0]?.request(subscribe(name, 'client', 'y'));
      await clients[1]?.request(send(name, 'hello'));
      const [a, b] = await take(clients[0] as RawClient, 2);
      expect([a?.headers['subscription'], b?.headers['subscription']].sort()).toEqual(['x', 'y']);
      expect(a?.headers['message-id']).toBe(b?.headers['message-id']);
      expect((await clients[1]?.next('MESSAGE'))?.body).toBe('hello');
      const acked = [a, b].find((message) => message?.headers['subscription'] === 'y');
      await clients[0]?.request(`NACK\nid:${acked?.headers['ack']}\n\n\0`);
      expect(await bodiesSoFar(clients[0] as RawClient)).toEqual([]);
    },
  );

  it('keeps nothing for those who come later, and sends nothing to those who left', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    await client.request(send('/topic/a', 'early'));
    await client.request(subscribe('/topic/a'));
    await client.request(send('/topic/a', 'now'));
    expect((await client.next('MESSAGE')).body).toBe('now');
    await client.request('UNSUBSCRIBE\nid:1\n\n\0');
    await client.request(send('/topic/a', 'late'));
    expect(await bodiesSoFar(client)).toEqual([]);
  });

  it('keeps a subscriber that does not read for a moment, however large the messages are', async () => {
    const { port } = await startHost();
    const slow = await RawClient.connect(port);
    await slow.request(subscribe('/topic/a'));
    slow.socket.pause();
    const sender = await RawClient.connect(port);
    const large = 'x'.repeat(12 * 1024 * 1024);
    for (const body of [large, large, 'small']) await sender.request(send('/topic/a', body));
    slow.socket.resume();
    await slow.until(() => slow.frames.length === 3);
    expect(slow.frames.map(({ body }) => body.length)).toEqual([large.length, large.length, 5]);
  });

  it('cuts off a subscriber that does not read, and holds up nobody else', async () => {
    const { port, host } = await startHost();
    const slow = await RawClient.connect(port);
    await slow.request(subscribe('/topic/a'));
    slow.socket.pause();
    const quick = await RawClient.connect(port);
    await quick.request(subscribe('/topic/a'));
    const sender = await RawClient.connect(port);
    const body = 'x'.repeat(256 * 1024);
    let sent = 0;
    while (host.kind('stomp').status()['connections'] === 3) {
      await sender.request(send('/topic/a', body));
      sent += 1;
      expect(sent).toBeLessThan(200);
    }
    await quick.until(() => quick.frames.length === sent);
    expect(quick.frames).toHaveLength(sent);
    expect(host.kind('stomp').status()['connections']).toBe(2);
  });
});

describe('a transaction', () => {
  it('sends and acknowledges on COMMIT, and on ABORT not', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    await client.request(subscribe('/queue/a', 'client-individual'));
    await client.request(send('/queue/a', 'first'));
    const { headers } = await client.next('MESSAGE');
    const ack = (transaction: string): string =>
      `ACK\nid:${headers['ack']}\ntransaction:${transaction}\n\n\0`;
    await client.request('BEGIN\ntransaction:t\n\n\0');
    await client.request('BEGIN\ntransaction:u\n\n\0');
    await client.request(send('/queue/a', 'in t', 'transaction:t\n'));
    await client.request(ack('t'));
    await client.request(send('/queue/a', 'in u', 'transaction:u\n'));
    expect(client.frames).toEqual([]);
    expect(host.journal.count().count).toBe(1);
    await client.request('ABORT\ntransaction:t\n\n\0');
    expect(client.frames).toEqual([]);
    await client.request(ack('u'));
    await client.request('COMMIT\ntransaction:u\n\n\0');
    const sent = await client.next('MESSAGE');
    expect(sent.body).toBe('in u');
    expect(sent.headers['transaction']).toBeUndefined();
    expect(host.journal.count().count).toBe(2);
    client.send(`ACK\nid:${headers['ack']}\n\n\0`);
    expect((await client.next('ERROR')).headers['message']).toBe('unknown message');
  });

  it('NACKs on COMMIT', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    await client.request(subscribe('/queue/a', 'client'));
    await client.request(send('/queue/a', 'one'));
    const { headers } = await client.next('MESSAGE');
    await client.request('BEGIN\ntransaction:t\n\n\0');
    await client.request(`NACK\nid:${headers['ack']}\ntransaction:t\n\n\0`);
    expect(await bodiesSoFar(client)).toEqual([]);
    await client.request('COMMIT\ntransaction:t\n\n\0');
    expect((await client.next('MESSAGE')).headers['redelivered']).toBe('true');
  });

  it('ends with its connection', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    await client.request('BEGIN\ntransaction:t\n\n\0');
    await client.request(send('/queue/a', 'never', 'transaction:t\n'));
    await client.request('DISCONNECT\n\n\0');
    const other = await RawClient.connect(port);
    await other.request(subscribe('/queue/a'));
    expect(await bodiesSoFar(other)).toEqual([]);
  });

  it('is bounded', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    for (let n = 0; n < 100; n += 1) client.send(`BEGIN\ntransaction:${n}\n\n\0`);
    await client.request(send('/queue/a', 'x', 'transaction:0\n'));
    client.send('BEGIN\ntransaction:100\n\n\0');
    expect((await client.next('ERROR')).headers['message']).toBe('too many transactions');
  });
});

describe('reset and snapshots', () => {
  it('empty the queues while clients stay connected', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    await client.request(send('/queue/a', 'waiting'));
    await client.request(subscribe('/queue/b', 'client'));
    await client.request(send('/queue/b', 'unacknowledged'));
    const { headers } = await client.next('MESSAGE');
    host.reset();
    expect(host.kind('stomp').captures?.values()).toEqual([]);
    await client.request(subscribe('/queue/a', 'auto', '2'));
    expect(await bodiesSoFar(client)).toEqual([]);
    // The client cannot know: its acknowledgement is taken, and means nothing.
    await client.request(`NACK\nid:${headers['ack']}\n\n\0`);
    await client.request(send('/queue/b', 'after'));
    expect((await bodiesSoFar(client)).filter((body) => body !== '')).toEqual(['after']);
  });

  it('put back what was in the queues', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    for (const body of ['one', 'two']) await client.request(send('/queue/a', body));
    const { id } = host.snapshots.create('full');
    await client.request(subscribe('/queue/a'));
    expect((await take(client, 2)).map(({ body }) => body)).toEqual(['one', 'two']);
    await client.request('UNSUBSCRIBE\nid:1\n\n\0');
    host.snapshots.restore(id);
    await client.request(subscribe('/queue/a', 'client', '2'));
    expect((await take(client, 2)).map(({ body }) => body)).toEqual(['one', 'two']);
    host.snapshots.restore(id);
    // To the subscription that is there.
    expect((await take(client, 2)).map(({ body }) => body)).toEqual(['one', 'two']);
    await eventually(() => host.kind('stomp').status()['connections'] === 1);
  });
});
