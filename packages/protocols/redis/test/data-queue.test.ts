import { describe, expect, it } from '@jest/globals';
import { nextTurn, SLICE } from '@backlot/core/plugin';
import { eventually } from '@backlot/conformance';
import { DataQueue, type Access } from '../src/data-queue.js';
import { command, encode, RawClient, startHost } from './support.js';

/** Work of so many slices, which notes when it begins and ends. */
function* work(name: string, slices: number, log: string[]): Generator<undefined, string> {
  log.push(`${name} begins`);
  for (let slice = 0; slice < slices; slice += 1) {
    for (const end = performance.now() + SLICE; performance.now() < end;);
    yield;
  }
  log.push(`${name} ends`);
  return name;
}

/** A command as a client carries it out. */
function ask(queue: DataQueue, name: string, access: Access, slices: number, log: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const begin = (): void =>
      void Promise.resolve(queue.run(work(name, slices, log), access === 'write')).then(resolve, reject);
    if (queue.isOpenTo(access)) begin();
    else queue.wait(access, begin);
  });
}

describe('the queue for the data', () => {
  it('nobody comes between the slices of what writes', async () => {
    const [queue, log] = [new DataQueue(), [] as string[]];
    await Promise.all([
      ask(queue, 'write', 'write', 3, log),
      ask(queue, 'read', 'read', 0, log),
      ask(queue, 'other write', 'write', 2, log),
      ask(queue, 'late read', 'read', 0, log),
    ]);
    expect(log).toEqual(
      ['write', 'read', 'other write', 'late read'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  it('what reads lets others read, and who writes waits for it', async () => {
    const [queue, log] = [new DataQueue(), [] as string[]];
    await Promise.all([
      ask(queue, 'long read', 'read', 4, log),
      ask(queue, 'short read', 'read', 0, log),
      ask(queue, 'second long read', 'read', 2, log),
      ask(queue, 'write', 'write', 0, log),
      ask(queue, 'read behind', 'read', 0, log),
    ]);
    expect(log).toEqual([
      'long read begins',
      'short read begins',
      'short read ends',
      'second long read begins',
      'long read ends',
      'second long read ends',
      'write begins',
      'write ends',
      'read behind begins',
      'read behind ends',
    ]);
  });

  it('lets the process do other things meanwhile, and ends what is given up', async () => {
    const [queue, log] = [new DataQueue(), [] as string[]];
    const long = ask(queue, 'long', 'write', 100, log);
    const next = ask(queue, 'next', 'write', 0, log);
    await nextTurn();
    await nextTurn();
    expect(log).toEqual(['long begins']);
    queue.giveUp(new Error('reset'));
    await expect(long).rejects.toThrow('reset');
    expect(await next).toBe('next');
    expect(log).toEqual(['long begins', 'next begins', 'next ends']);
  });
});

/** A transaction that takes several slices: it counts to 30,000. */
const LONG = [command('MULTI'), command('INCR counter').repeat(30_000), command('EXEC')].join('');

describe('clients', () => {
  it('are let in during a transaction, but not to its data', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const [client, pinger, reader] = [new RawClient(port), new RawClient(port), new RawClient(port)];
    await Promise.all([pinger.ask('PING'), reader.ask('PING')]);
    let isOver = false;
    const answers: string[] = [];
    client.send(LONG);
    await client.until(() => client.received.endsWith('+QUEUED\r\n'));
    const total = '+OK\r\n'.length + 30_000 * '+QUEUED\r\n'.length;
    await client.until(() => client.received.length >= total);
    const counted = (async () => {
      while (!isOver) answers.push(await reader.ask('GET counter'));
    })();
    let pings = 0;
    const pinged = (async () => {
      while (!isOver) {
        await pinger.ask('PING');
        pings += 1;
      }
    })();
    await client.until(() => client.received.endsWith(':30000\r\n'));
    isOver = true;
    await Promise.all([counted, pinged]);
    expect(pings).toBeGreaterThan(1);
    expect(new Set(answers.map((answer) => answer.split('\r\n')[1])).size).toBeLessThanOrEqual(2);
    expect(answers.filter((answer) => !['$-1\r\n', '$5\r\n30000\r\n'].includes(answer))).toEqual([]);
    expect(await reader.ask('GET counter')).toBe('$5\r\n30000\r\n');
  }, 30_000);

  it('that have left do not hold up others, and their writes are whole', async () => {
    const { port, kind } = await startHost({ mode: 'stateful' });
    const [client, other] = [new RawClient(port), new RawClient(port)];
    await other.ask('PING');
    client.send(LONG);
    await client.until(() => client.received.length > 30_000 * '+QUEUED\r\n'.length);
    client.socket.destroy();
    await eventually(() => kind.status()['connections'] === 1);
    expect(['$-1\r\n', '$5\r\n30000\r\n']).toContain(await other.ask('GET counter'));
  }, 30_000);

  it('get an error when the data is reset meanwhile', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const [client, other] = [new RawClient(port), new RawClient(port)];
    await other.ask('PING');
    client.send(LONG);
    await client.until(() => client.received.length > 30_000 * '+QUEUED\r\n'.length);
    host.reset();
    await client.until(() => /(?:meanwhile|:30000)\r\n$/.test(client.received));
    client.received = '';
    expect(await client.ask('DBSIZE')).toBe(':0\r\n');
    expect(await client.ask('MULTI')).toBe('+OK\r\n');
    expect(await other.ask('SET a 1')).toBe('+OK\r\n');
  }, 30_000);

  it('get all answers of a long pipeline, even when they send nothing more', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    const members = Array.from({ length: 20_000 }, (_, n) => `member${n}`);
    client.socket.end(
      encode('SADD', 's', ...members) +
        command('SUNIONSTORE t s s').repeat(5) +
        command('SCARD t') +
        command('GET x'),
      'latin1',
    );
    expect((await client.untilClosed()).replaceAll(':20000\r\n', '')).toBe('$-1\r\n');
  });

  it('get messages of channels between answers, never within one', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const [client, publisher] = [new RawClient(port), new RawClient(port)];
    await client.ask('HELLO 3');
    await client.ask('SUBSCRIBE news');
    const elements = Array.from({ length: 50_000 }, (_, n) => `element${n}`);
    client.send(encode('RPUSH', 'l', ...elements));
    await client.reply();
    const range = `*50000\r\n${elements.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`;
    client.send(command('LRANGE l 0 -1').repeat(20));
    for (let n = 0; n < 50; n += 1) await publisher.ask(`PUBLISH news ${n}`);
    const replies: string[] = [];
    while (replies.length < 70) replies.push(await client.reply());
    const messages = replies.filter((reply) => reply.startsWith('>'));
    expect(messages).toEqual(
      Array.from(
        { length: 50 },
        (_, n) => `>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$${String(n).length}\r\n${n}\r\n`,
      ),
    );
    expect(replies.filter((reply) => !reply.startsWith('>')).every((reply) => reply === range)).toBe(true);
  }, 60_000);

  it('that wait for each other in a chain are served one behind the other', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const main = new RawClient(port);
    const LENGTH = 200;
    const chain = Array.from({ length: LENGTH }, () => new RawClient(port));
    for (const [n, client] of chain.entries())
      client.send(command(`BLPOP k${n} 0`) + command(`RPUSH k${n + 1} x`));
    while (!(await main.ask('INFO clients')).includes(`blocked_clients:${LENGTH}`));
    await main.ask('RPUSH k0 x');
    expect(await main.ask(`BLPOP k${LENGTH} 10`)).toContain(`k${LENGTH}`);
  }, 30_000);
});
