import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { parseFloat64 } from '../src/wire/numbers.js';
import { command, encode, endOfReply, RawClient, startHost } from './support.js';

/** The answers to a command of which each has several. */
async function askMany(client: RawClient, bytes: string, count: number): Promise<string[]> {
  client.received = '';
  client.send(bytes);
  const replies: string[] = [];
  await client.until(() => {
    // What has been read is dropped: to look at all of it with each of its thousand pieces would take a minute.
    const text = client.received;
    let at = 0;
    for (let end = endOfReply(text, 0); end > 0; at = end, end = endOfReply(text, at))
      replies.push(text.slice(at, end));
    client.received = text.slice(at);
    return replies.length >= count;
  });
  client.received = '';
  return replies;
}

function names(count: number, make: (n: number) => string): string[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

describe('subscriptions', () => {
  it('are bounded for one connection, and free again when they end', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    await client.ask('HELLO 3');
    const all = names(16_385, (n) => `p${n}*`);
    const replies = await askMany(client, encode('PSUBSCRIBE', ...all), 16_385);
    expect(replies.at(-1)).toMatch(/^-ERR too many subscriptions: a connection may have 16384 /);
    expect(replies.at(-2)).toContain(':16384\r\n');
    expect(await client.ask('SUBSCRIBE one')).toMatch(/^-ERR too many subscriptions/);
    expect(await client.ask('PSUBSCRIBE p0*')).toContain(':16384\r\n');
    expect(await client.ask('PUNSUBSCRIBE p0*')).toContain(':16383\r\n');
    expect(await client.ask('SUBSCRIBE one')).toContain(':16384\r\n');
    // p7*, p77* and p777* match.
    const [one, two, three, count] = await askMany(client, command('PUBLISH p777x hi'), 4);
    expect([one, two, three].every((reply) => reply?.startsWith('>4\r\n$8\r\npmessage'))).toBe(true);
    expect(count).toBe(':3\r\n');
    await client.ask('RESET');
    expect(await client.ask('PUBSUB NUMPAT')).toBe(':0\r\n');
  }, 30_000);

  it('are bounded for all connections together', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const clients = names(9, String).map(() => new RawClient(port));
    const last: (string | undefined)[] = [];
    for (const [n, client] of clients.entries()) {
      const replies = await askMany(
        client,
        encode('SUBSCRIBE', ...names(16_000, (each) => `c${n}-${each}`)),
        n < 8 ? 16_000 : 3_073,
      );
      last.push(replies.at(-1));
    }
    expect(last[7]).toContain(':16000\r\n');
    expect(last[8]).toMatch(/^-ERR too many subscriptions/);
    clients[0]?.socket.destroy();
    const [, , , , , , , , ninth] = clients as [...RawClient[]] & { 8: RawClient };
    let reply = '';
    while (!reply.startsWith('*')) reply = await ninth.ask('SUBSCRIBE more');
    expect(reply).toContain('more');
  }, 60_000);

  it('count what they take in memory', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    const replies = await askMany(
      client,
      encode('SUBSCRIBE', ...names(20, (n) => `${n}${'x'.repeat(1_000_000)}`)),
      17,
    );
    expect(replies).toHaveLength(17);
    expect(replies.at(-1)).toMatch(/^-ERR too many subscriptions/);
  });
});

describe('bounds', () => {
  it('of patterns', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    for (const start of ['KEYS', 'SCAN 0 MATCH', 'PSUBSCRIBE', 'CONFIG GET', 'PUBSUB CHANNELS'])
      expect(await client.ask(`${start} ${'*a'.repeat(513)}`)).toBe(
        '-ERR the pattern has 1026 bytes; 1024 are the most\r\n',
      );
  });

  it('of watched keys, awaited keys and arguments of what is not about data', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    const keys = names(10_001, (n) => `k${n}`);
    client.send(encode('WATCH', ...keys));
    expect(await client.reply()).toBe('-ERR a connection watches 10000 keys at most\r\n');
    client.send(encode('WATCH', ...keys.slice(1)));
    expect(await client.reply()).toBe('+OK\r\n');
    expect(await client.ask('WATCH one more')).toMatch(/^-ERR a connection watches/);
    client.send(encode('BLPOP', ...keys, '0'));
    expect(await client.reply()).toBe('-ERR a command waits for 10000 keys at most\r\n');
    client.send(encode('COMMAND', 'INFO', ...keys));
    expect(await client.reply()).toBe("-ERR 'command info' takes 1024 arguments at most\r\n");
  });

  it('of the commands of a transaction', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    client.send(command('MULTI') + command('PING').repeat(262_145));
    await client.until(() => client.received.endsWith('commands\r\n'));
    expect(client.received.slice(-100)).toMatch(
      /QUEUED\r\n-ERR the transaction has more than 262144 commands\r\n$/,
    );
    client.received = '';
    expect(await client.ask('EXEC')).toMatch(/^-EXECABORT/);
  }, 60_000);

  it('of sets that are named again and again', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    client.send(encode('ZADD', 'z', ...names(2_000, (n) => `${n} m${n}`).flatMap((pair) => pair.split(' '))));
    await client.reply();
    client.send(encode('ZUNION', '9000', ...names(9_000, () => 'z')));
    expect(await client.reply()).toBe('-ERR the sets have more than 16777216 members together\r\n');
    client.send(encode('SUNION', ...names(9_000, () => 'no-set')));
    expect(await client.reply()).toBe('*0\r\n');
  });

  it('of what waits to be read by all clients together', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const writer = new RawClient(port);
    writer.send(encode('SET', 'large', 'x'.repeat(20_000_000)));
    await writer.reply();
    const slow = new RawClient(port);
    slow.socket.pause();
    slow.send(encode('MGET', ...names(10, () => 'large')));
    // The first takes most of what there is, until it has been read or its client is gone.
    const mget = encode('MGET', ...names(10, () => 'large'));
    while (!(await writer.ask('CLIENT LIST')).includes('cmd=mget'));
    writer.send(mget);
    expect(await writer.reply()).toBe("-OOM command not allowed when used memory > 'maxmemory'.\r\n");
    expect((await writer.ask('GET large')).length).toBeGreaterThan(20_000_000);
    slow.socket.destroy();
    let bytes = 0;
    do {
      const other = new RawClient(port);
      other.socket.removeAllListeners('data');
      bytes = 0;
      other.socket.on('data', (chunk) => (bytes += chunk.length));
      other.send(mget);
      await eventually(() => bytes === 200_000_000 + 10 * 13 + 5 || (bytes > 0 && bytes < 100));
    } while (bytes < 100);
  }, 60_000);
});

describe('memory', () => {
  it('that only what has expired takes is used again', async () => {
    const { port, host } = await startHost({ mode: 'stateful', max_memory: 100_000 });
    const client = new RawClient(port);
    for (let n = 0; n < 10; n += 1)
      await client.ask(`SET key${n} ${'x'.repeat(10_000)} PX ${100_000 * (n + 1)}`);
    expect(await client.ask('SET more 1')).toMatch(/^-OOM/);
    await host.clock.advance(450_000);
    expect(await client.ask('SET more 1')).toBe('+OK\r\n');
    expect(await client.ask('DBSIZE')).toBe(':7\r\n');
    expect(await client.ask('INFO keyspace')).toContain('db0:keys=7,expires=6');
  });
});

describe('numbers', () => {
  it('are read in a time that grows with their length', () => {
    expect(['1', '-1.5', '.5', '5.', '1e3', '1.e3', '0x1f', 'inf', '-Infinity'].map(parseFloat64)).toEqual([
      1,
      -1.5,
      0.5,
      5,
      1000,
      1000,
      31,
      Infinity,
      -Infinity,
    ]);
    expect(['', '.', '1x', 'e3', '1e', 'nan'].map(parseFloat64)).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
    // With a time that grows with the square this takes minutes.
    expect(parseFloat64(`${'1'.repeat(500_000)}x`)).toBeUndefined();
  });
});
