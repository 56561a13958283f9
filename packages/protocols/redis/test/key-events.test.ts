import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { RawClient, startHost } from './support.js';

/** Commands that bring events; what brings none is there too. */
const LINES = `SET a 1
SET a 1 EX 100
SETEX b 100 x
SETNX a 1
SETNX c 1
MSET d 1 e 2
GETSET a 2
APPEND a x
SETRANGE a 1 y
INCR n
DECRBY n 3
INCRBYFLOAT n 1.5
SETBIT bits 7 1
GETDEL e
GETEX d EX 100
GETEX d PERSIST
GET a
DEL a nokey
EXPIRE b 50
PEXPIRE b 60000
PERSIST b
PERSIST b
EXPIRE b -1
RENAME c c2
COPY c2 c3
LPUSH l 1 2 3
RPUSH l 4
LPUSHX nol 1
LPOP l
RPOP l
LSET l 0 z
LINSERT l BEFORE z y
LREM l 0 y
LMOVE l m LEFT RIGHT
RPOPLPUSH m m
LMPOP 1 m RIGHT
LPOP l
LTRIM l 1 0
SADD s a b
SADD s a
SREM s a
SREM s nobody
SMOVE s t b
SADD s 1 2
SINTERSTORE o s s
SINTERSTORE o s nokey
SPOP s 2
HSET h f 1
HINCRBY h f 1
HDEL h f
HDEL h f
ZADD z 1 a 2 b 3 c
ZADD z INCR 1 a
ZINCRBY z 1 a
ZREM z a
ZPOPMIN z
ZMPOP 1 z MAX
ZADD z 1 a
ZUNIONSTORE zo 1 z
ZREMRANGEBYSCORE z 0 9
GEOADD geo 1 1 x
XADD x 1-1 a b
XGROUP CREATE x g 0
XGROUP CREATECONSUMER x g c
XTRIM x MAXLEN 0
XDEL x 1-1
XGROUP DESTROY x g
PFADD pf a
SORT t ALPHA STORE so
FLUSHALL`.split('\n');

/** What a subscriber of all events gets, each with the command before which it came. */
async function listen(port: number, flags: string): Promise<string[]> {
  const writer = new RawClient(port);
  const listener = new RawClient(port);
  await writer.ask('FLUSHALL');
  expect(await writer.ask(`CONFIG SET notify-keyspace-events ${flags}`)).toBe('+OK\r\n');
  await listener.ask('PSUBSCRIBE __key*');
  const seen: string[] = [];
  for (const line of LINES) {
    await writer.ask(line);
    await writer.ask('PUBLISH __key-end end');
    for (;;) {
      const words = [...(await listener.reply()).matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, word]) => word);
      if (words[2] === '__key-end') break;
      seen.push(`${line}: ${words[2] ?? ''} ${words[3] ?? ''}`);
    }
  }
  await writer.ask('CONFIG SET notify-keyspace-events ""');
  return seen;
}

describe('events of keys', () => {
  itWithTool('redis-server', 'are those of redis-server', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const reference = await startReference();
    for (const flags of ['KEA', 'El', 'Kg'])
      expect(await listen(port, flags)).toEqual(await listen(reference, flags));
  });

  it('keys expire by the clock of the host, whether somebody asks for them or not', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const [writer, listener] = [new RawClient(port), new RawClient(port)];
    await writer.ask('SET before 1 EX 5');
    await writer.ask('CONFIG SET notify-keyspace-events Ex');
    expect(await writer.ask('CONFIG GET notify-keyspace-events')).toContain('\r\nxE\r\n');
    await listener.ask('SUBSCRIBE __keyevent@0__:expired');
    await writer.ask('SET a 1 EX 10');
    await writer.ask('SET b 1 PX 20000');
    await host.clock.advance(10_000);
    expect(await listener.reply()).toContain('\r\nbefore\r\n');
    expect(await listener.reply()).toContain('\r\na\r\n');
    await host.clock.advance(10_000);
    expect(await listener.reply()).toContain('\r\nb\r\n');
    expect(await writer.ask('CONFIG SET notify-keyspace-events Q')).toMatch(/^-ERR CONFIG SET failed/);
    expect(await writer.ask('CONFIG SET notify-keyspace-events ""')).toBe('+OK\r\n');
  });

  it('what a client that waited takes is told as its own command', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const [writer, listener, waiter] = [new RawClient(port), new RawClient(port), new RawClient(port)];
    await writer.ask('CONFIG SET notify-keyspace-events Kl');
    await listener.ask('PSUBSCRIBE *');
    waiter.send('BRPOP q 0\r\n');
    while (!(await writer.ask('INFO clients')).includes('blocked_clients:1'));
    await writer.ask('LPUSH q x');
    expect(await listener.reply()).toMatch(/\r\nlpush\r\n$/);
    expect(await listener.reply()).toMatch(/\r\nrpop\r\n$/);
  });
});

describe('MONITOR', () => {
  itWithTool('redis-server', 'shows the lines of redis-server', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const reference = await startReference();
    const seen: string[][] = [];
    for (const server of [port, reference]) {
      const [monitor, writer] = [new RawClient(server), new RawClient(server)];
      expect(await monitor.ask('MONITOR')).toBe('+OK\r\n');
      const lines: string[] = [];
      for (const line of ['SET a 1', 'get "a b\\x00\\xff"', 'PING']) {
        await writer.ask(line);
        lines.push((await monitor.reply()).replace(/^\+\d+\.\d{6} /, '').replace(/127\.0\.0\.1:\d+/, 'me'));
      }
      expect(await monitor.ask('RESET')).toContain('+');
      seen.push(lines);
    }
    expect(seen[0]).toEqual(seen[1]);
  });

  it('leaves out passwords, and what is too long', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const [monitor, writer] = [new RawClient(port), new RawClient(port)];
    await monitor.ask('MONITOR');
    await writer.ask('AUTH default secret');
    await writer.ask('HELLO 3 AUTH default secret');
    await writer.ask(`ECHO ${'x'.repeat(100_000)}`);
    const line = await monitor.reply();
    expect(line).toContain('"ECHO" "xxx');
    expect(line.length).toBeLessThan(20_000);
  });
});
