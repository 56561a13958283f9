import { describe, expect, it } from '@jest/globals';
import { createInbox, errors, headers as headers3, type Msg } from '@nats-io/transport-node';
import { headers as headers2 } from 'nats';
import { eventually } from '@backlot/conformance';
import { connect2, connect3, converse, QUIET, RawClient, startHost } from './support.js';

/** A server without mocks is a NATS server: everything here goes from client to client. */
describe.each([
  ['@nats-io/transport-node', connect3 as unknown as typeof connect2, headers3 as unknown as typeof headers2],
  ['nats 2', connect2, headers2],
])('with %s', (_name, connect, headers) => {
  it('delivers to subscribers by wildcard, in the order of publishing', async () => {
    const { port } = await startHost();
    const publisher = await connect(port);
    const subscriber = await connect(port);
    const got: string[] = [];
    for (const subject of ['a.b', 'a.*', 'a.>', '>', 'a.b.c']) {
      subscriber.subscribe(subject, {
        callback: (_error, message) => got.push(`${subject}:${message.subject}:${message.string()}`),
      });
    }
    await subscriber.flush();
    publisher.publish('a.b', 'x');
    publisher.publish('a.b.c', 'y');
    await publisher.flush();
    await subscriber.flush();
    expect(got.sort()).toEqual(
      ['a.b:a.b:x', 'a.*:a.b:x', 'a.>:a.b:x', '>:a.b:x', 'a.>:a.b.c:y', '>:a.b.c:y', 'a.b.c:a.b.c:y'].sort(),
    );
  });

  it('carries requests, replies, headers and bytes', async () => {
    const { port } = await startHost();
    const service = await connect(port);
    service.subscribe('service', {
      callback: (_error, message) => {
        const answer = headers();
        answer.append('X-Seen', message.headers?.get('X-Asked') ?? '');
        answer.append('X-Seen', 'twice');
        message.respond(message.data, { headers: answer });
      },
    });
    await service.flush();
    const asked = headers();
    asked.set('X-Asked', 'grüße');
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const client = await connect(port);
    const answer = await client.request('service', bytes, { headers: asked, timeout: 60_000 });
    expect(Buffer.from(answer.data)).toEqual(Buffer.from(bytes));
    expect(answer.headers?.values('X-Seen')).toEqual(['grüße', 'twice']);
    const plain = await client.request('service', 'p', { noMux: true, timeout: 60_000 });
    expect(plain.string()).toBe('p');
  });

  it('gives each message to one member of a queue group, and a share to each', async () => {
    const { port } = await startHost();
    const counts = [0, 0, 0];
    for (const index of counts.keys()) {
      const worker = await connect(port);
      worker.subscribe('jobs', {
        queue: 'workers',
        callback: () => void (counts[index] ?? 0, (counts[index] = (counts[index] ?? 0) + 1)),
      });
      await worker.flush();
    }
    const watcher = await connect(port);
    let watched = 0;
    watcher.subscribe('jobs', { callback: () => void (watched += 1) });
    await watcher.flush();
    const publisher = await connect(port);
    for (let i = 0; i < 300; i += 1) publisher.publish('jobs', String(i));
    await publisher.flush();
    await eventually(() => counts.reduce((sum, count) => sum + count, 0) === 300 && watched === 300);
    for (const count of counts) expect(count).toBeGreaterThan(50);
  });

  it('says that nobody responds', async () => {
    const { port, host } = await startHost();
    const client = await connect(port);
    await expect(client.request('nobody', 'x', { timeout: 60_000 })).rejects.toThrow(/no responders|503/);
    await expect(client.request('nobody', 'x', { timeout: 60_000, noMux: true })).rejects.toThrow(
      /no responders|503/,
    );
    expect(host.journal.list().map(({ status }) => status)).toEqual([503, 503]);
  });

  it('ends a subscription after its maximum, and drains', async () => {
    const { port } = await startHost();
    const publisher = await connect(port);
    const subscriber = await connect(port);
    const got: string[] = [];
    const limited = subscriber.subscribe('a', {
      max: 2,
      callback: (_error, message) => got.push(message.string()),
    });
    await subscriber.flush();
    for (const text of ['1', '2', '3']) publisher.publish('a', text);
    await publisher.flush();
    await limited.closed;
    await subscriber.flush();
    expect(got).toEqual(['1', '2']);
    const drained = subscriber.subscribe('b', {
      callback: (_error, message) => got.push(message.string()),
    });
    await subscriber.flush();
    publisher.publish('b', '4');
    await publisher.flush();
    await drained.drain();
    publisher.publish('b', '5');
    await publisher.flush();
    await subscriber.flush();
    expect(got).toEqual(['1', '2', '4']);
    await subscriber.drain();
    expect(subscriber.isClosed()).toBe(true);
  });

  it('keeps a client from its own messages with echo: false', async () => {
    const { port } = await startHost();
    const client = await connect(port, { noEcho: true });
    let own = 0;
    client.subscribe('a', { callback: () => void (own += 1) });
    client.publish('a', 'x');
    await client.flush();
    await client.flush();
    expect(own).toBe(0);
  });

  it('carries payloads up to max_payload, in bursts, verbose and pedantic', async () => {
    const { port } = await startHost();
    const subscriber = await connect(port, { verbose: true, pedantic: true });
    let bytes = 0;
    subscriber.subscribe('large', { callback: (_error, { data }) => void (bytes += data.length) });
    await subscriber.flush();
    const publisher = await connect(port, { verbose: true, pedantic: true });
    expect(publisher.info?.max_payload).toBe(1024 * 1024);
    const payload = new Uint8Array(1024 * 1024).fill(7);
    for (let i = 0; i < 20; i += 1) publisher.publish('large', payload);
    await publisher.flush();
    await eventually(() => bytes === 20 * payload.length);
  });

  it('measures round trips', async () => {
    const { port } = await startHost();
    expect(await (await connect(port)).rtt()).toBeGreaterThanOrEqual(0);
  });

  it('leaves subscriptions alone when everything is reset', async () => {
    const { port, host, captured } = await startHost();
    const client = await connect(port);
    const got: string[] = [];
    client.subscribe('a', { callback: (_error, message) => got.push(message.string()) });
    client.publish('a', '1');
    await client.flush();
    host.reset();
    expect(captured()).toEqual([]);
    client.publish('a', '2');
    await client.flush();
    await eventually(() => got.length === 2);
    expect(captured()).toMatchObject([{ subject: 'a', payload: '2' }]);
  });
});

describe('the protocol', () => {
  it('greets with what it can', async () => {
    const { port } = await startHost();
    const client = await connect3(port);
    expect(client.info).toMatchObject({
      proto: 1,
      version: '2.9.10',
      headers: true,
      max_payload: 1_048_576,
      host: '127.0.0.1',
      port,
      client_ip: '127.0.0.1',
    });
  });

  it('confirms what verbose clients send, and complains to pedantic ones', async () => {
    const { port } = await startHost();
    const text =
      'CONNECT {"verbose":true,"pedantic":true}\r\nSUB a 1\r\nPUB a 2\r\nhi\r\nPUB a..b 1\r\nx\r\nPUB b.* 1\r\nx\r\nSUB a..b 2\r\nUNSUB 1\r\n';
    expect(await converse(port, text)).toBe(
      "+OK\r\n+OK\r\n+OK\r\nMSG a 1 2\r\nhi\r\n-ERR 'Invalid Publish Subject'\r\n+OK\r\n-ERR 'Invalid Publish Subject'\r\n+OK\r\n-ERR 'Invalid Subject'\r\n+OK\r\n",
    );
  });

  it('takes names in any case, tabs, spare blanks and bare line feeds', async () => {
    const { port } = await startHost();
    const text = `${QUIET}sub\ta  1 \nPub  a\t\tr 1\r\nx\r\nUnSub 1\n+OK\r\nINFO {}\r\nPONG\r\n`;
    expect(await converse(port, text)).toBe('MSG a 1 r 1\r\nx\r\n');
  });

  it('matches words, not characters, and subjects with wildcards as they are', async () => {
    const { port } = await startHost();
    const text = `${QUIET}SUB a*b 1\r\nSUB > 2\r\nPUB a*b 1\r\nx\r\nPUB axb 1\r\ny\r\nPUB * 1\r\nz\r\nPUB .a 1\r\nn\r\nPUB a. 1\r\nn\r\nPUB a..b 1\r\nn\r\n`;
    expect(await converse(port, text)).toBe(
      'MSG a*b 2 1\r\nx\r\nMSG a*b 1 1\r\nx\r\nMSG axb 2 1\r\ny\r\nMSG * 2 1\r\nz\r\n',
    );
  });

  it('carries subjects byte for byte', async () => {
    const { port } = await startHost({}, [
      { id: 'umlaut', subject: 'grüße.>', response: { subject: 'zurück', payload: 'ja' } },
    ]);
    const wire = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
    const subject = `${wire('grüße')}.\xff`;
    expect(await converse(port, `${QUIET}SUB > 1\r\nPUB ${subject} 1\r\nx\r\n`)).toBe(
      `MSG ${subject} 1 1\r\nx\r\nMSG ${wire('zurück')} 1 2\r\nja\r\n`,
    );
  });

  it('counts the maximum of UNSUB from the start, and keeps a number that is in use', async () => {
    const { port } = await startHost();
    const publish = (text: string): string => `PUB a 1\r\n${text}\r\n`;
    const text = `${QUIET}SUB a 1\r\nSUB b 1\r\nPUB b 1\r\nn\r\n${publish('1')}UNSUB 1 2\r\n${publish('2')}${publish('3')}SUB a 1\r\n${publish('4')}UNSUB 1 1\r\n${publish('5')}UNSUB 99\r\n`;
    expect(await converse(port, text)).toBe('MSG a 1 1\r\n1\r\nMSG a 1 1\r\n2\r\nMSG a 1 1\r\n4\r\n');
  });

  it('keeps the order and the bytes of small and large messages', async () => {
    const { port } = await startHost();
    const sizes = [0, 3, 47, 49, 16_383, 16_384, 1, 40_000, 70_000, 2];
    const payloads = sizes.map((size, index) =>
      String.fromCharCode(0x61 + index, 0xff)
        .repeat(size)
        .slice(0, size),
    );
    const sid = 'a-number-that-is-a-rather-long-text-of-more-than-48-bytes';
    const published = payloads.map((payload) => `PUB a.b reply ${payload.length}\r\n${payload}\r\n`);
    const delivered = payloads.map((payload) => `MSG a.b ${sid} reply ${payload.length}\r\n${payload}\r\n`);
    expect(await converse(port, `${QUIET}SUB a.* ${sid}\r\n${published.join('')}`)).toBe(delivered.join(''));
  });

  it('says a size without leading zeros', async () => {
    const { port } = await startHost();
    const text = `${QUIET}SUB a 1\r\nPUB a 0003\r\nabc\r\nPUB a 00\r\n\r\n`;
    expect(await converse(port, text)).toBe('MSG a 1 3\r\nabc\r\nMSG a 1 0\r\n\r\n');
  });

  it('leaves headers out for a client that takes none', async () => {
    const { port } = await startHost();
    const old = await RawClient.connect(port);
    await old.ask('CONNECT {"verbose":false}\r\nSUB a 1\r\n');
    const text = `${QUIET}SUB a 7\r\nHPUB a r 18 21\r\nNATS/1.0\r\nA: b\r\n\r\nabc\r\n`;
    expect(await converse(port, text)).toBe('HMSG a 7 r 18 21\r\nNATS/1.0\r\nA: b\r\n\r\nabc\r\n');
    await old.until(() => old.text.includes('abc'));
    expect(old.text).toContain('MSG a 1 r 3\r\nabc\r\n');
  });

  it('sends no status to a client that did not ask for it', async () => {
    const { port } = await startHost();
    const text = 'CONNECT {"verbose":false}\r\nSUB r 1\r\nPUB nobody r 1\r\nx\r\n';
    expect(await converse(port, text)).toBe('');
    expect(await converse(port, `${QUIET}SUB r 1\r\nPUB nobody r 1\r\nx\r\n`)).toBe(
      'HMSG r 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n',
    );
  });

  it('passes a message whose queue group has only the publisher without echo to nobody', async () => {
    const { port } = await startHost();
    const text =
      'CONNECT {"verbose":false,"echo":false,"headers":true,"no_responders":true}\r\nSUB a q 1\r\nSUB r 2\r\nPUB a r 1\r\nx\r\n';
    expect(await converse(port, text)).toBe('HMSG r 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\n');
  });

  it('reports what is too large to a client that checks nothing itself', async () => {
    const { port } = await startHost({ max_payload: 100 });
    const client = await connect3(port);
    expect(client.info?.max_payload).toBe(100);
    expect(() => client.publish('a', new Uint8Array(101))).toThrow(errors.InvalidArgumentError);
    expect(await converse(port, `${QUIET}PUB a 101\r\n`)).toBe(
      "-ERR 'Maximum Payload Violation'\r\n<closed>",
    );
  });

  it('serves an inbox that a client made by itself', async () => {
    const { port } = await startHost({}, [{ subject: 'ask', response: { payload: 'yes' } }]);
    const client = await connect3(port);
    const inbox = createInbox();
    const got = new Promise<Msg>((resolve) =>
      client.subscribe(inbox, { max: 1, callback: (_error, message) => resolve(message) }),
    );
    client.publish('ask', 'x', { reply: inbox });
    expect((await got).string()).toBe('yes');
  });
});
