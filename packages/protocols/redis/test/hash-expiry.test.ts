import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { crc64 } from '../src/dump/crc64.js';
import { ListpackWriter } from '../src/dump/listpack.js';
import { writeRaw } from '../src/dump/texts.js';
import { afterThis, encode, RawClient, startHost, type Running } from './support.js';

/** The integers that are answered, or the error. */
async function ask(client: RawClient, line: string): Promise<readonly (string | number)[] | string> {
  const reply = await client.ask(line);
  if (!reply.startsWith('*')) return reply.trim();
  return reply
    .split('\r\n')
    .slice(1, -1)
    .map((item) => (item.startsWith(':') ? Number(item.slice(1)) : item));
}

async function start(settings = {}): Promise<{ readonly running: Running; readonly client: RawClient }> {
  const running = await startHost(settings);
  return { running, client: new RawClient(running.port) };
}

// The cases of tests/unit/type/hash-field-expire.tcl of Redis 7.4, by the virtual clock.
describe('HEXPIRE and HTTL', () => {
  it('answer for each field, also where there is no key', async () => {
    const { client } = await start();
    for (const name of ['HEXPIRE', 'HPEXPIRE', 'HEXPIREAT', 'HPEXPIREAT'])
      expect(await ask(client, `${name} none 1000 NX FIELDS 2 a b`)).toEqual([-2, -2]);
    for (const name of ['HTTL', 'HPTTL', 'HEXPIRETIME', 'HPEXPIRETIME', 'HPERSIST'])
      expect(await ask(client, `${name} none FIELDS 2 a b`)).toEqual([-2, -2]);
    await client.ask('HSET h a 1 b 2');
    expect(await ask(client, 'HTTL h FIELDS 3 a b c')).toEqual([-1, -1, -2]);
    expect(await ask(client, 'HPERSIST h FIELDS 2 a c')).toEqual([-1, -2]);
  });

  it('know conditions', async () => {
    const { client } = await start();
    await client.ask('HSET h a 1 b 2');
    expect(await ask(client, 'HPEXPIRE h 100000 NX FIELDS 1 a')).toEqual([1]);
    expect(await ask(client, 'HPEXPIRE h 100000 NX FIELDS 2 a b')).toEqual([0, 1]);
    expect(await ask(client, 'HPERSIST h FIELDS 1 b')).toEqual([1]);
    expect(await ask(client, 'HPEXPIRE h 100000 XX FIELDS 2 a b')).toEqual([1, 0]);
    expect(await ask(client, 'HPEXPIRE h 200000 GT FIELDS 2 a b')).toEqual([1, 0]);
    expect(await ask(client, 'HPEXPIRE h 100000 GT FIELDS 1 a')).toEqual([0]);
    expect(await ask(client, 'HPEXPIRE h 100000 LT FIELDS 2 a b')).toEqual([1, 1]);
    expect(await ask(client, 'HPEXPIRE h 100000 LT FIELDS 1 a')).toEqual([0]);
    expect(await ask(client, 'HEXPIREAT h 1 LT FIELDS 2 a none')).toEqual([2, -2]);
    expect(await client.ask('HKEYS h')).toBe('*1\r\n$1\r\nb\r\n');
    expect(await ask(client, 'HEXPIRE h 0 FIELDS 1 b')).toEqual([2]);
    expect(await client.ask('EXISTS h')).toBe(':0\r\n');
  });

  it('tell the time that is left, and the moment', async () => {
    const { running, client } = await start();
    await client.ask('HSET h a 1 b 2');
    await client.ask('HPEXPIREAT h 70368744177663 FIELDS 1 a');
    expect(await ask(client, 'HPEXPIRETIME h FIELDS 2 a b')).toEqual([70368744177663, -1]);
    expect(await ask(client, 'HEXPIRETIME h FIELDS 1 a')).toEqual([70368744178]);
    await client.ask('HEXPIRE h 10 FIELDS 1 b');
    expect(await ask(client, 'HTTL h FIELDS 1 b')).toEqual([10]);
    await running.host.clock.advance(2_000);
    expect(await ask(client, 'HTTL h FIELDS 1 b')).toEqual([8]);
    const [left] = await ask(client, 'HPTTL h FIELDS 1 b');
    expect(left).toBeGreaterThan(7_000);
    expect(left).toBeLessThanOrEqual(8_000);
  });

  it.each([
    ['HEXPIRE h', "ERR wrong number of arguments for 'hexpire' command"],
    ['HPERSIST h FIELDS 1', "ERR wrong number of arguments for 'hpersist' command"],
    ['HEXPIRE h 1 FIELD 1 a', 'ERR Mandatory argument FIELDS is missing or not at the right position'],
    ['HTTL h FIELDS x a', 'ERR Number of fields must be a positive integer'],
    ['HEXPIRE h 1 FIELDS 0 a', 'ERR Parameter `numFields` should be greater than 0'],
    ['HEXPIRE h 1 FIELDS 2 a', 'ERR The `numfields` parameter must match the number of arguments'],
    ['HPERSIST h FIELDS 4 a b c', 'ERR The `numfields` parameter must match the number of arguments'],
    ['HEXPIRE h -1 FIELDS 1 a', 'ERR invalid expire time, must be >= 0'],
    ['HEXPIRE h x FIELDS 1 a', 'ERR value is not an integer or out of range'],
    ['HEXPIRE h 70368744178 FIELDS 1 a', "ERR invalid expire time in 'hexpire' command"],
    ['HPEXPIREAT h 70368744177664 FIELDS 1 a', "ERR invalid expire time in 'hpexpireat' command"],
    ['HTTL s FIELDS 1 a', 'WRONGTYPE Operation against a key holding the wrong kind of value'],
    ['HEXPIRE s 1 FIELDS 1 a', 'WRONGTYPE Operation against a key holding the wrong kind of value'],
  ])('%s', async (line, problem) => {
    const { client } = await start();
    await client.ask('HSET h a 1');
    await client.ask('SET s x');
    expect(await client.ask(line)).toBe(`-${problem}\r\n`);
  });
});

describe('fields that expire', () => {
  it('are gone for all commands, and the key with the last', async () => {
    const { running, client } = await start();
    await client.ask('HSET h a 1 b 2 c 3');
    await client.ask('HPEXPIRE h 1000 FIELDS 1 a');
    await client.ask('HPEXPIRE h 2000 FIELDS 2 b c');
    await running.host.clock.advance(1_000);
    expect(await client.ask('HGET h a')).toBe('$-1\r\n');
    expect(await client.ask('HLEN h')).toBe(':2\r\n');
    expect(await client.ask('HMGET h a b')).toBe('*2\r\n$-1\r\n$1\r\n2\r\n');
    expect(await client.ask('HGETALL h')).toBe('*4\r\n$1\r\nb\r\n$1\r\n2\r\n$1\r\nc\r\n$1\r\n3\r\n');
    expect(await client.ask('HVALS h')).toBe('*2\r\n$1\r\n2\r\n$1\r\n3\r\n');
    expect(await client.ask('HSCAN h 0')).toContain('*4\r\n');
    expect(await client.ask('HEXISTS h a')).toBe(':0\r\n');
    expect(await client.ask('HSTRLEN h a')).toBe(':0\r\n');
    expect(await client.ask('HRANDFIELD h 5')).not.toContain('a');
    expect(await client.ask('HINCRBY h a 5')).toBe(':5\r\n');
    expect(await ask(client, 'HTTL h FIELDS 2 a b')).toEqual([-1, 1]);
    await client.ask('HDEL h a');
    await running.host.clock.advance(1_000);
    expect(await client.ask('SCAN 0')).toBe('*2\r\n$1\r\n0\r\n*0\r\n');
    expect(await client.ask('KEYS *')).toBe('*0\r\n');
    expect(await client.ask('EXISTS h')).toBe(':0\r\n');
    expect(await client.ask('TYPE h')).toBe('+none\r\n');
    expect(await client.ask('DBSIZE')).toBe(':0\r\n');
  });

  it('go before the key or with it, whichever comes first', async () => {
    const { running, client } = await start();
    await client.ask('HSET h a 1 b 2');
    await client.ask('HEXPIRE h 10 FIELDS 1 a');
    await client.ask('EXPIRE h 5');
    await running.host.clock.advance(5_000);
    expect(await client.ask('EXISTS h')).toBe(':0\r\n');
    await client.ask('HSET h a 1 b 2');
    await client.ask('HEXPIRE h 5 FIELDS 1 a');
    await client.ask('EXPIRE h 10');
    await client.ask('PERSIST h');
    await running.host.clock.advance(5_000);
    expect(await client.ask('HKEYS h')).toBe('*1\r\n$1\r\nb\r\n');
    await running.host.clock.advance(10_000);
    expect(await client.ask('HKEYS h')).toBe('*1\r\n$1\r\nb\r\n');
  });

  it('stay when they are set anew, and keep their moment when they are increased', async () => {
    const { running, client } = await start();
    await client.ask('HSET h a 1 b 2 c 3');
    await client.ask('HEXPIRE h 10 FIELDS 3 a b c');
    await client.ask('HSET h a 2');
    await client.ask('HINCRBY h b 1');
    await client.ask('HINCRBYFLOAT h c 1.5');
    expect(await ask(client, 'HTTL h FIELDS 3 a b c')).toEqual([-1, 10, 10]);
    await client.ask('HDEL h b');
    await client.ask('HSET h b 1');
    expect(await ask(client, 'HTTL h FIELDS 1 b')).toEqual([-1]);
    await client.ask('SET h x');
    await running.host.clock.advance(10_000);
    expect(await client.ask('GET h')).toBe('$1\r\nx\r\n');
  });

  it('move with RENAME, COPY, MOVE, SWAPDB, DUMP and snapshots', async () => {
    const { running, client } = await start();
    const isTimed = async (key: string): Promise<void> =>
      expect([key, await ask(client, `HTTL ${key} FIELDS 2 a b`)]).toEqual([key, [60, -1]]);
    await client.ask('HSET h a 1 b 2');
    await client.ask('HEXPIRE h 60 FIELDS 1 a');
    await client.ask('COPY h copy');
    await isTimed('copy');
    await client.ask('RENAME copy other');
    await isTimed('other');
    const dump = await client.ask('DUMP h');
    const payload = dump.slice(dump.indexOf('\r\n') + 2, -2);
    client.send(`*4\r\n$7\r\nRESTORE\r\n$8\r\nrestored\r\n$1\r\n0\r\n$${payload.length}\r\n${payload}\r\n`);
    expect(await client.reply()).toBe('+OK\r\n');
    await isTimed('restored');
    const { id } = running.host.snapshots.create();
    await client.ask('MOVE h 1');
    await client.ask('SELECT 1');
    await isTimed('h');
    await client.ask('SWAPDB 0 1');
    await isTimed('other');
    running.host.snapshots.restore(id);
    await client.ask('SELECT 0');
    for (const key of ['h', 'other', 'restored']) await isTimed(key);
    await running.host.clock.advance(60_000);
    for (const key of ['h', 'other', 'restored'])
      expect(await client.ask(`HKEYS ${key}`)).toBe('*1\r\n$1\r\nb\r\n');
  });

  it.each([
    [['a', '1', '70368744177663', 'b', '2', '0'], '+OK'],
    [['a', '1', '70368744177664'], '-ERR Bad data format'],
    [['a', '1', 'soon'], '-ERR Bad data format'],
    [['a', '1'], '-ERR Bad data format'],
    [['a', '1', '5', 'a', '2', '5'], '-ERR Bad data format'],
    [[], '-ERR Bad data format'],
  ])('%j packed as Redis 7.4 dumps few short fields: %s', async (texts, answer) => {
    const { client } = await start();
    const packed = new ListpackWriter();
    for (const text of texts) packed.add(text);
    const bytes = `\x19${'\0'.repeat(8)}${writeRaw(packed.take())}\x0c\0`;
    const work = crc64(bytes);
    let step = work.next();
    while (step.done !== true) step = work.next();
    const payload = bytes + step.value;
    client.send(`*4\r\n$7\r\nRESTORE\r\n$1\r\nh\r\n$1\r\n0\r\n$${payload.length}\r\n${payload}\r\n`);
    expect(await client.reply()).toBe(`${answer}\r\n`);
    if (answer === '+OK')
      expect(await ask(client, 'HPEXPIRETIME h FIELDS 2 a b')).toEqual([70368744177663, -1]);
  });

  it('are told of: hexpire, hpersist, hexpired and del', async () => {
    const { running, client } = await start();
    const listener = new RawClient(running.port);
    await client.ask('CONFIG SET notify-keyspace-events Kgh');
    await listener.ask('PSUBSCRIBE __keyspace*');
    const event = async (): Promise<string> => (await listener.reply()).split('\r\n').at(-2) ?? '';
    await client.ask('HSET h a 1 b 2 c 3');
    await client.ask('HEXPIRE h 10 FIELDS 2 a b');
    await client.ask('HPERSIST h FIELDS 1 b');
    await client.ask('HEXPIRE h 0 FIELDS 1 c');
    await client.ask('HEXPIRE h 20 FIELDS 1 b');
    await running.host.clock.advance(10_000);
    await running.host.clock.advance(10_000);
    const events: string[] = [];
    for (let n = 0; n < 8; n += 1) events.push(await event());
    expect(events).toEqual(['hset', 'hexpire', 'hpersist', 'hdel', 'hexpire', 'hexpired', 'hexpired', 'del']);
  });

  it('spoil transactions that watch their key', async () => {
    const { running, client } = await start();
    await client.ask('HSET h a 1 b 2');
    await client.ask('HEXPIRE h 10 FIELDS 1 a');
    await client.ask('WATCH h');
    await running.host.clock.advance(10_000);
    await client.ask('MULTI');
    await client.ask('PING');
    expect(await client.ask('EXEC')).toBe('*-1\r\n');
  });

  it('are 16,384 in a hash at most', async () => {
    const { client } = await start();
    const fields = Array.from({ length: 16_385 }, (_, n) => `f${n}`);
    client.send(encode('HSET', 'h', ...fields.flatMap((field) => [field, 'x'])));
    await client.reply();
    client.send(encode('HEXPIRE', 'h', '10', 'FIELDS', '16385', ...fields));
    expect(await client.reply()).toBe('-ERR a hash has 16384 fields with an expiry at most\r\n');
    client.send(encode('HEXPIRE', 'h', '10', 'FIELDS', '16384', ...fields.slice(1)));
    expect((await client.reply()).startsWith('*16384\r\n:1\r\n')).toBe(true);
    expect(await client.ask('HEXPIRE h 10 FIELDS 1 f0')).toContain('at most');
    expect(await client.ask('HEXPIRE h 20 FIELDS 1 f1')).toBe('*1\r\n:1\r\n');
  });

  it('node-redis', async () => {
    const { running } = await start();
    const client = createClient({ url: `redis://127.0.0.1:${running.port}` });
    afterThis(() => client.destroy());
    await client.connect();
    await client.hSet('h', { a: '1', b: '2' });
    expect(await client.hExpire('h', ['a', 'none'], 60)).toEqual([1, -2]);
    expect(await client.hTTL('h', ['a', 'b', 'none'])).toEqual([60, -1, -2]);
    expect(await client.hPersist('h', 'a')).toEqual([1]);
    await client.hpExpire('h', 'a', 1000);
    await running.host.clock.advance(1_000);
    expect(await client.hGetAll('h')).toEqual({ b: '2' });
  });
});

// The cases of tests/unit/type/hash-field-expire.tcl of Redis, by the virtual clock.
describe('HGETDEL, HGETEX and HSETEX', () => {
  it('give values, remove fields, and set how long they live', async () => {
    const { running, client } = await start();
    running.host.clock.freeze(true);
    expect(await client.ask('HSETEX h EX 60 FIELDS 2 a 1 b 2')).toBe(':1\r\n');
    expect(await ask(client, 'HTTL h FIELDS 2 a b')).toEqual([60, 60]);
    expect(await client.ask('HSETEX h FNX FIELDS 2 b 3 c 3')).toBe(':0\r\n');
    expect(await client.ask('HSETEX h FXX FIELDS 2 b 3 c 3')).toBe(':0\r\n');
    expect(await client.ask('HSETEX none FXX FIELDS 1 b 3')).toBe(':0\r\n');
    expect(await client.ask('HSETEX h FIELDS 1 c 3 KEEPTTL FNX')).toBe(':1\r\n');
    expect(await client.ask('HSETEX h FXX KEEPTTL FIELDS 1 a 10')).toBe(':1\r\n');
    expect(await client.ask('HSETEX h FIELDS 1 b 20')).toBe(':1\r\n');
    expect(await ask(client, 'HTTL h FIELDS 3 a b c')).toEqual([60, -1, -1]);
    expect(await client.ask('HGETEX h FIELDS 3 a b none')).toBe('*3\r\n$2\r\n10\r\n$2\r\n20\r\n$-1\r\n');
    expect(await client.ask('HGETEX h PX 1500 FIELDS 2 b c')).toBe('*2\r\n$2\r\n20\r\n$1\r\n3\r\n');
    expect(await ask(client, 'HPTTL h FIELDS 3 a b c')).toEqual([60_000, 1500, 1500]);
    expect(await client.ask('HGETEX h PERSIST FIELDS 1 c')).toBe('*1\r\n$1\r\n3\r\n');
    await running.host.clock.advance(1500);
    expect(await client.ask('HGETALL h')).toBe('*4\r\n$1\r\na\r\n$2\r\n10\r\n$1\r\nc\r\n$1\r\n3\r\n');
    expect(await client.ask('HGETDEL h FIELDS 2 a none')).toBe('*2\r\n$2\r\n10\r\n$-1\r\n');
    // A moment that has passed removes the field, and the key with its last one.
    expect(await client.ask('HGETEX h EXAT 1 FIELDS 1 c')).toBe('*1\r\n$1\r\n3\r\n');
    expect(await client.ask('EXISTS h')).toBe(':0\r\n');
    expect(await client.ask('HSETEX h PXAT 1 FIELDS 1 a 1')).toBe(':1\r\n');
    expect(await client.ask('EXISTS h')).toBe(':0\r\n');
    expect(await client.ask('HGETDEL h FIELDS 1 a')).toBe('*1\r\n$-1\r\n');
    expect(await client.ask('HGETEX h EX 1 FIELDS 1 a')).toBe('*1\r\n$-1\r\n');
  });

  it.each([
    ['HGETDEL h FIELDS 1', "ERR wrong number of arguments for 'hgetdel' command"],
    ['HGETDEL h NAMES 1 a', 'ERR Mandatory argument FIELDS is missing or not at the right position'],
    ['HGETDEL h FIELDS 0 a', 'ERR Number of fields must be a positive integer'],
    ['HGETDEL h FIELDS 2 a', 'ERR The `numfields` parameter must match the number of arguments'],
    ['HGETDEL text FIELDS 1 a', 'WRONGTYPE Operation against a key holding the wrong kind of value'],
    [
      'HGETEX h EX 1 PERSIST FIELDS 1 a',
      'ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified',
    ],
    ['HGETEX h EX -1 FIELDS 1 a', 'ERR invalid expire time, must be >= 0'],
    ['HGETEX h EX a FIELDS 1 a', 'ERR value is not an integer or out of range'],
    ['HGETEX h FNX FIELDS 1 a', 'ERR unknown argument: FNX'],
    ['HGETEX text FIELDS 1 a', 'WRONGTYPE Operation against a key holding the wrong kind of value'],
    ['HSETEX h BOGUS FIELDS 1 a v', 'ERR unknown argument: BOGUS'],
    ['HSETEX h FNX FXX FIELDS 1 a v', 'ERR Only one of FXX or FNX arguments can be specified'],
    [
      'HSETEX h EX 60 KEEPTTL FIELDS 1 a v',
      'ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified',
    ],
    ['HSETEX h FIELDS x a v EX', 'ERR invalid number of fields'],
    ['HSETEX h FIELDS 2 a v KEEPTTL', "ERR wrong number of arguments for 'hsetex' command"],
    ['HSETEX h FIELDS 1 a v FIELDS 1 b v', 'ERR FIELDS keyword specified multiple times'],
    ['HSETEX h FIELDS 1 a v EX', 'ERR missing expire time'],
    ['HSETEX h FIELDS 1 a v more', 'ERR unknown argument: more'],
    ['HSETEX h FNX EX 10 FIELDS', "ERR wrong number of arguments for 'hsetex' command"],
    ['HSETEX h EX 10 FIELDS 0 a', "ERR wrong number of arguments for 'hsetex' command"],
    ['HSETEX h EX FIELDS 1 a v', 'ERR value is not an integer or out of range'],
    ['HSETEX h PERSIST FIELDS 1 a v', 'ERR unknown argument: PERSIST'],
    ['HSETEX text FIELDS 0 a v', 'ERR invalid number of fields'],
    ['HGETEX h EX 10 FIELDS', "ERR wrong number of arguments for 'hgetex' command"],
    ['HGETEX h FIELDS 0 a', 'ERR invalid number of fields'],
    ['HGETEX h FIELDS 2147483647 a', "ERR wrong number of arguments for 'hgetex' command"],
    ['HGETEX h FIELDS 2147483648 a', 'ERR invalid number of fields'],
    ['HGETEX h FIELDS 1 a FIELDS 1 b', 'ERR FIELDS keyword specified multiple times'],
    ['HGETEX h FIELDS 1 a EX', 'ERR missing expire time'],
    ['HGETEX h KEEPTTL FIELDS 1 a', 'ERR unknown argument: KEEPTTL'],
    ['HSETEX h EX 1 FNX KEEP', 'ERR unknown argument: KEEP'],
    ['HSETEX h PXAT 1 FNX FNX', 'ERR Only one of FXX or FNX arguments can be specified'],
    ['HSETEX h PXAT 70368744177664 FIELDS 1 a v', "ERR invalid expire time in 'hsetex' command"],
    ['HSETEX text FIELDS 1 a v', 'WRONGTYPE Operation against a key holding the wrong kind of value'],
  ])('%s is an error', async (line, error) => {
    const { client } = await start();
    await client.ask('SET text 1');
    expect(await client.ask(line)).toBe(`-${error}\r\n`);
    expect(await client.ask('EXISTS h')).toBe(':0\r\n');
  });

  it('tell what happened to the key', async () => {
    const { running, client } = await start();
    await client.ask('CONFIG SET notify-keyspace-events KEA');
    const listener = new RawClient(running.port);
    await listener.ask('PSUBSCRIBE __keyevent@0__:*');
    await client.ask('HSETEX h EX 60 FIELDS 1 a 1');
    await client.ask('HGETEX h PERSIST FIELDS 1 a');
    await client.ask('HGETDEL h FIELDS 1 a');
    const events: string[] = [];
    for (let n = 0; n < 5; n += 1)
      events.push(/__keyevent@0__:(\w+)/.exec(await listener.reply())?.[1] ?? '');
    expect(events).toEqual(['hset', 'hexpire', 'hpersist', 'hdel', 'del']);
  });

  it('are asked by ioredis and node-redis', async () => {
    const { running } = await start();
    const one = new Redis(running.port);
    afterThis(() => one.disconnect());
    expect(await one.hsetex('h', 'EX', 60, 'FIELDS', 2, 'a', '1', 'b', '2')).toBe(1);
    expect(await one.hgetex('h', 'PX', 500_000, 'FIELDS', 1, 'a')).toEqual(['1']);
    expect(await one.hgetdel('h', 'FIELDS', 1, 'b')).toEqual(['2']);
    const other = createClient({ url: `redis://127.0.0.1:${running.port}` });
    afterThis(() => other.destroy());
    await other.connect();
    expect(
      await other.hSetEx('h', { c: '3', d: '4' }, { mode: 'FNX', expiration: { type: 'EX', value: 60 } }),
    ).toBe(1);
    expect(await other.hGetEx('h', ['a', 'c'], { expiration: 'PERSIST' })).toEqual(['1', '3']);
    expect(await other.hTTL('h', ['a', 'c', 'd'])).toEqual([-1, -1, 60]);
    expect(await other.hGetDel('h', ['a', 'none'])).toEqual(['1', null]);
  });
});
