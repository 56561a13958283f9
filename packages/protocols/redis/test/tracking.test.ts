import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { createClient } from 'redis';
import { startReference } from './reference-server.js';
import { afterThis, RawClient, startHost } from './support.js';

/** What clients say, one after the other: `a`, `b` and `c` are connections, `{b}` is the id of one. */
const SCRIPTS: Readonly<Record<string, string>> = {
  default: `a HELLO 3
  a CLIENT TRACKINGINFO
  a CLIENT GETREDIR
  a CLIENT TRACKING ON
  a CLIENT TRACKINGINFO
  a CLIENT GETREDIR
  a GET k
  b SET k 1
  b SET k 2
  a GET k
  a SET k 3
  a MGET k l m
  b MSET k 1 l 2 m 3
  a GET k
  b DEL k
  a GET k
  b DEL k
  a SMEMBERS s
  b SADD s x
  a HGETALL h
  b HSET h f v
  a EXISTS k l
  b FLUSHDB
  b SET l 1
  a GET l
  b SELECT 3
  b SET l 2
  b SELECT 0
  a GET l
  b FLUSHALL
  a XREAD STREAMS st 0
  b XADD st 1-1 a b
  a ZUNION 2 z1 z2
  b ZADD z2 1 a
  a GET l
  b MULTI
  b SET l 1
  b SET l 2
  b EXEC
  a GET l
  b EVAL "redis.call('set', 'l', 5)" 1 l
  a EVAL "return redis.call('get', KEYS[1])" 1 l
  b SET l 6
  a EVAL_RO "return redis.call('get', KEYS[1])" 1 l
  b SET l 7
  a EVAL_RO "return 1" 1 l
  b SET l 8
  a MULTI
  a GET l
  a SET l 9
  a GET l
  a EXEC
  b SET l 10
  a GET l
  a EVAL "return redis.call('set', KEYS[1], 1)" 1 l
  a GET l
  b EXPIRE l 100
  a GET l
  b PERSIST l
  a TTL l
  b EXPIRE l -1
  b RPUSH q 1 2
  a LRANGE q 0 -1
  b LPOP q
  a LLEN q
  b RENAME q r
  a LLEN r
  b COPY r r2
  b SORT r STORE r
  a GET l
  a CLIENT TRACKING OFF
  b SET l 1
  a CLIENT TRACKINGINFO`,
  noloop: `a HELLO 3
  a CLIENT TRACKING ON NOLOOP
  a CLIENT TRACKINGINFO
  a GET k
  a SET k 1
  b SET k 2
  a GET k
  b SET k 2
  a GET k
  a EVAL "return redis.call('set', KEYS[1], 1)" 1 k
  a GET k
  b SET k 2
  a RESET
  a CLIENT TRACKINGINFO`,
  optin: `a HELLO 3
  a CLIENT CACHING YES
  a CLIENT TRACKING ON OPTIN
  a GET k
  b SET k 1
  a CLIENT CACHING YES
  a CLIENT TRACKINGINFO
  a GET k
  a CLIENT TRACKINGINFO
  a GET l
  b SET k 2
  b SET l 2
  a CLIENT CACHING NO
  a CLIENT CACHING MAYBE
  a CLIENT CACHING YES
  a MULTI
  a GET k
  a GET l
  a EXEC
  b MSET k 1 l 2
  a CLIENT TRACKING ON OPTOUT
  a CLIENT TRACKING ON`,
  optout: `a HELLO 3
  a CLIENT TRACKING ON OPTOUT
  a GET k
  b SET k 1
  a CLIENT CACHING NO
  a CLIENT TRACKINGINFO
  a GET k
  b SET k 2
  a GET k
  b SET k 3
  a CLIENT CACHING YES`,
  broadcast: `a HELLO 3
  c HELLO 3
  a CLIENT TRACKING ON BCAST PREFIX user: PREFIX item:
  a CLIENT TRACKINGINFO
  c CLIENT TRACKING ON BCAST NOLOOP
  c CLIENT TRACKINGINFO
  b SET user:1 x
  b SET other x
  c SET user:1 x
  c GET other
  b MULTI
  b SET user:1 a
  b SET user:2 a
  b SET item:1 a
  b EXEC
  b FLUSHALL
  a CLIENT TRACKING ON BCAST PREFIX user
  a CLIENT TRACKING ON BCAST PREFIX new: PREFIX newer:
  a CLIENT TRACKING ON BCAST PREFIX new: PREFIX new:x
  a CLIENT TRACKING ON BCAST PREFIX third:
  a CLIENT TRACKINGINFO
  b SET third:1 x
  a CLIENT TRACKING ON
  a CLIENT TRACKING OFF
  b SET user:1 x`,
  redirect: `a CLIENT TRACKING ON REDIRECT {c}
  a CLIENT GETREDIR
  a CLIENT TRACKINGINFO
  a GET k
  b SET k 0
  c SUBSCRIBE __redis__:invalidate
  a GET k
  b SET k 1
  a GET k
  b SET k 2
  b FLUSHALL
  a CLIENT TRACKING ON BCAST REDIRECT {c} PREFIX u
  a CLIENT TRACKING OFF
  a CLIENT TRACKING ON BCAST REDIRECT {c} PREFIX u
  b SET u1 x
  b SET v1 x
  c RESET
  b SET u1 x`,
  'redirect to RESP3': `a HELLO 3
  c HELLO 3
  a CLIENT TRACKING ON REDIRECT {c}
  a GET k
  b SET k 1
  a GET k
  c QUIT
  b SET k 2
  a CLIENT TRACKINGINFO`,
  errors: `a CLIENT TRACKING
  a CLIENT TRACKING MAYBE
  a CLIENT TRACKING ON BAD
  a CLIENT TRACKING ON REDIRECT x
  a CLIENT TRACKING ON REDIRECT 99999
  a CLIENT TRACKING ON REDIRECT {b} REDIRECT {c}
  a CLIENT TRACKING ON PREFIX a
  a CLIENT TRACKING ON BCAST OPTIN
  a CLIENT TRACKING ON BCAST OPTOUT
  a CLIENT TRACKING ON OPTIN OPTOUT
  a CLIENT TRACKING ON BCAST PREFIX
  a CLIENT TRACKING OFF
  a CLIENT CACHING
  a CLIENT CACHING YES
  a CLIENT NO-EVICT ON
  a CLIENT NO-EVICT OFF
  a CLIENT NO-EVICT MAYBE
  a CLIENT NO-EVICT
  a CLIENT GETREDIR x
  a CLIENT TRACKINGINFO x`,
};

/** What each connection gets, line by line. */
async function play(port: number, script: string): Promise<string[]> {
  const clients = new Map<string, RawClient>();
  const ids = new Map<string, string>();
  for (const name of ['a', 'b', 'c']) {
    const client = new RawClient(port);
    clients.set(name, client);
    ids.set(name, (await client.ask('CLIENT ID')).slice(1, -2));
  }
  const hidden = (line: string, text: string): string =>
    (/TRACK|GETREDIR|broken/i.test(line + text) ? [...ids] : []).reduce(
      (seen, [name, id]) => seen.replaceAll(`:${id}\r\n`, `:{${name}}\r\n`),
      text,
    );
  const inTransaction = new Set<string>();
  const subscribed = new Set<string>();
  const gone = new Set<string>();
  const seen: string[] = [];
  await clients.get('b')?.ask('FLUSHALL');
  for (const line of script.split('\n').map((text) => text.trim())) {
    const [name = '', ...words] = line.split(' ');
    const said = words.join(' ').replaceAll(/\{(.)\}/g, (_, other: string) => ids.get(other) ?? '');
    const client = clients.get(name);
    const first = (await client?.ask(said)) ?? '';
    seen.push(`${line}: ${words[0] === 'HELLO' ? '' : hidden(line, first)}`);
    if (words[0] === 'MULTI') inTransaction.add(name);
    if (words[0] === 'EXEC') inTransaction.delete(name);
    if (words[0] === 'SUBSCRIBE') subscribed.add(name);
    if (words[0] === 'RESET') subscribed.delete(name);
    if (words[0] === 'QUIT') gone.add(name);
    for (const [other, each] of clients) {
      if (inTransaction.has(other) || gone.has(other)) continue;
      // What stands before the answer to this came on its own.
      each.send(subscribed.has(other) ? 'PING fence\r\n' : 'CLIENT ID\r\n');
      for (;;) {
        const reply = hidden('', await each.reply());
        if (reply.startsWith(':') || reply.includes('fence')) break;
        seen.push(`  ${other} gets ${reply}`);
      }
    }
  }
  for (const client of clients.values()) client.socket.end();
  return seen;
}

describe('CLIENT TRACKING', () => {
  itWithTool('redis-server', 'tells clients what redis-server tells them', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const reference = await startReference();
    for (const script of Object.values(SCRIPTS))
      expect(await play(port, script)).toEqual(await play(reference, script));
  });

  it('tells of keys that expire, at their moment', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const [reader, writer] = [new RawClient(port), new RawClient(port)];
    await reader.ask('HELLO 3');
    await writer.ask('SET k v PX 5000');
    await reader.ask('CLIENT TRACKING ON');
    await reader.ask('GET k');
    await host.clock.advance(5_000);
    expect(await reader.reply()).toBe('>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n');
  });

  it('forgets the oldest keys, and says so', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const [reader, writer] = [new RawClient(port), new RawClient(port)];
    await reader.ask('HELLO 3');
    await reader.ask('CLIENT TRACKING ON');
    for (let first = 0; first < 264_000; first += 44_000) {
      const keys = Array.from({ length: 44_000 }, (_, index) => `k${first + index}`);
      reader.send(
        `*${keys.length + 1}\r\n$6\r\nEXISTS\r\n${keys.map((key) => `$${key.length}\r\n${key}\r\n`).join('')}`,
      );
      expect(await reader.reply()).toBe(':0\r\n');
    }
    expect(await reader.reply()).toBe('>2\r\n$10\r\ninvalidate\r\n*1\r\n$2\r\nk0\r\n');
    await writer.ask('SET k263999 x');
    await reader.until(() => reader.received.endsWith('\r\nk263999\r\n'));
    // 264,000 keys were read, of which 262,144 are kept.
    expect(reader.received.split('invalidate').length - 1).toBe(264_000 - 262_144);
  });

  it('bounds the prefixes', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    await client.ask('HELLO 3');
    const prefixes = (begin: string, count: number): string =>
      Array.from({ length: count }, (_, index) => `PREFIX ${begin}${index}:`).join(' ');
    expect(await client.ask(`CLIENT TRACKING ON BCAST ${prefixes('x', 257)}`)).toMatch(/^-ERR .*256/);
    for (const begin of ['a', 'b', 'c', 'd'])
      expect(await client.ask(`CLIENT TRACKING ON BCAST ${prefixes(begin, 256)}`)).toBe('+OK\r\n');
    expect(await client.ask('CLIENT TRACKING ON BCAST PREFIX one:more')).toMatch(/^-ERR .*1024/);
  });

  it('lets node-redis keep copies', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = createClient({
      url: `redis://127.0.0.1:${port}`,
      RESP: 3,
      clientSideCache: { ttl: 0, maxEntries: 0, evictPolicy: 'LRU' },
    });
    client.on('error', () => undefined);
    await client.connect();
    afterThis(() => client.destroy());
    const writer = new RawClient(port);
    const info = async (): Promise<number> =>
      Number(/total_commands_processed:(\d+)/.exec(await writer.ask('INFO stats'))?.[1]);
    await writer.ask('SET k 1');
    expect(await client.get('k')).toBe('1');
    const before = await info();
    expect(await client.get('k')).toBe('1');
    expect((await info()) - before).toBe(1);
    await writer.ask('SET k 2');
    // The message has come once the answer to a command behind it is there.
    await client.ping();
    expect(await client.get('k')).toBe('2');
  });
});
