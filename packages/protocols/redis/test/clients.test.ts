import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterThis, startHost } from './support.js';

function connectIoredis(port: number, options: object = {}): Redis {
  // ioredis keeps a timer for so many milliseconds after it disconnects, also when its socket is closed already.
  const client = new Redis({ port, host: '127.0.0.1', disconnectTimeout: 50, ...options });
  afterThis(() => client.disconnect());
  return client;
}

async function connectNodeRedis(port: number, options: object = {}) {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, ...options });
  client.on('error', () => undefined);
  afterThis(() => {
    if (client.isOpen) client.destroy();
  });
  await client.connect();
  return client;
}

const MOCKS = [
  { id: 'text', command: 'GET', key: 'text', response: { type: 'bulk', value: 'hellö' } },
  { id: 'none', command: 'GET', key: 'none', response: { type: 'nil' } },
  { id: 'all', command: 'HGETALL', key: 'user:*', response: { type: 'map', value: { name: 'Ada', n: 3 } } },
  { id: 'members', command: 'SMEMBERS', key: 's', response: { type: 'set', value: ['a', 'b'] } },
  {
    id: 'range',
    command: 'LRANGE',
    key: 'l',
    args: ['0', '-1'],
    response: { type: 'array', value: ['a', 'b'] },
  },
  { id: 'count', command: 'INCR', response: { type: 'integer', value: '{{request.key}}' } },
  { id: 'denied', command: 'SET', response: { type: 'error', value: 'READONLY not here' } },
];

describe('ioredis', () => {
  it('gets the answers of mocks', async () => {
    const { port } = await startHost({ mode: 'mock' }, MOCKS);
    const client = connectIoredis(port);
    expect(await client.ping()).toBe('PONG');
    expect(await client.get('text')).toBe('hellö');
    expect(await client.get('none')).toBeNull();
    expect(await client.hgetall('user:1')).toEqual({ name: 'Ada', n: 3 });
    expect(await client.smembers('s')).toEqual(expect.arrayContaining(['a', 'b']));
    expect(await client.lrange('l', 0, -1)).toEqual(['a', 'b']);
    expect(await client.incr('42')).toBe(42);
    await expect(client.set('a', 'b')).rejects.toThrow('READONLY not here');
    await expect(client.get('other')).rejects.toThrow('ERR no mock matched for GET other');
    expect(await client.quit()).toBe('OK');
  });

  it('uses a stateful server: pipelines, transactions, subscriptions, scans', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = connectIoredis(port);
    await client.mset({ a: '1', b: '2' });
    expect(await client.pipeline().incr('a').get('b').exec()).toEqual([
      [null, 2],
      [null, '2'],
    ]);
    expect(await client.multi().incr('a').hset('h', { f: 'v' }).hgetall('h').exec()).toEqual([
      [null, 3],
      [null, 1],
      [null, { f: 'v' }],
    ]);
    for (let n = 0; n < 50; n += 1) await client.set(`many:${n}`, n);
    const seen: string[] = [];
    for await (const keys of client.scanStream({ match: 'many:*' })) seen.push(...(keys as string[]));
    expect(new Set(seen).size).toBe(50);
    const subscriber = connectIoredis(port);
    const messages: string[] = [];
    subscriber.on('message', (channel, message) => messages.push(`${channel} ${message}`));
    subscriber.on('pmessage', (pattern, channel, message) =>
      messages.push(`${pattern} ${channel} ${message}`),
    );
    await subscriber.subscribe('news');
    await subscriber.psubscribe('n*');
    expect(await client.publish('news', 'hi')).toBe(2);
    await eventually(() => messages.length === 2);
    expect(messages).toEqual(['news hi', 'n* news hi']);
    const popped = connectIoredis(port).blpop('queue', 0);
    await client.rpush('queue', 'job');
    expect(await popped).toEqual(['queue', 'job']);
  });

  it('logs in', async () => {
    const { port } = await startHost({ password: 'geheim', mode: 'stateful' });
    expect(await connectIoredis(port, { password: 'geheim' }).set('a', 1)).toBe('OK');
    const stranger = connectIoredis(port, { password: 'wrong', retryStrategy: () => null });
    stranger.on('error', () => undefined);
    await expect(stranger.get('a')).rejects.toThrow();
  });

  it('uses TLS', async () => {
    const { port } = await startHost({ tls: { self_signed: true }, mode: 'stateful' });
    const client = connectIoredis(port, { tls: { rejectUnauthorized: false } });
    expect(await client.set('a', '1')).toBe('OK');
    expect(await client.get('a')).toBe('1');
  });
});

describe('node-redis', () => {
  it('gets the answers of mocks', async () => {
    const { port } = await startHost({ mode: 'mock' }, MOCKS);
    const client = await connectNodeRedis(port);
    expect(await client.get('text')).toBe('hellö');
    expect(await client.get('none')).toBeNull();
    expect({ ...(await client.hGetAll('user:1')) }).toEqual({ name: 'Ada', n: 3 });
    expect(await client.sMembers('s')).toEqual(['a', 'b']);
    expect(await client.lRange('l', 0, -1)).toEqual(['a', 'b']);
    await expect(client.set('a', 'b')).rejects.toThrow('READONLY not here');
    await expect(client.get('other')).rejects.toThrow('ERR no mock matched for GET other');
  });

  it('uses a stateful server', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = await connectNodeRedis(port);
    await client.zAdd('z', [
      { score: 1.5, value: 'a' },
      { score: 2, value: 'b' },
    ]);
    expect(await client.zRangeWithScores('z', 0, -1)).toEqual([
      { score: 1.5, value: 'a' },
      { score: 2, value: 'b' },
    ]);
    expect(await client.multi().set('a', '1').incr('a').exec()).toEqual(['OK', 2]);
    await client.hSet('h', { a: '1', b: '2' });
    expect({ ...(await client.hGetAll('h')) }).toEqual({ a: '1', b: '2' });
    const subscriber = await connectNodeRedis(port);
    const messages: string[] = [];
    await subscriber.subscribe('news', (message) => messages.push(message));
    await client.publish('news', 'hi');
    await eventually(() => messages.length === 1);
    const { value } = await client.scan('0').then(({ keys }) => ({ value: keys.length }));
    expect(value).toBe(3);
    expect(await client.set('lock', '1', { expiration: { type: 'EX', value: 10 }, condition: 'NX' })).toBe(
      'OK',
    );
    expect(await client.ttl('lock')).toBe(10);
  });

  it('logs in with HELLO', async () => {
    const { port } = await startHost({ password: 'geheim', mode: 'stateful' });
    const client = await connectNodeRedis(port, { password: 'geheim', name: 'me' });
    expect(await client.clientGetName()).toBe('me');
    await expect(
      connectNodeRedis(port, { password: 'x', socket: { reconnectStrategy: false } }),
    ).rejects.toThrow(/WRONGPASS/);
  });
});

describe('redis-cli', () => {
  itWithTool('redis-cli', 'speaks RESP2 and RESP3', async () => {
    const { port } = await startHost({ mode: 'stateful' }, MOCKS);
    const cli = async (...args: string[]): Promise<string> =>
      (await runTool('redis-cli', ['-p', String(port), ...args])).out.trim();
    expect(await cli('get', 'text')).toBe('hellö');
    expect(await cli('--no-raw', 'get', 'none')).toBe('(nil)');
    expect(await cli('--no-raw', 'hgetall', 'user:1')).toBe('1) "name"\n2) "Ada"\n3) "n"\n4) (integer) 3');
    expect(await cli('-3', '--no-raw', 'hgetall', 'user:1')).toBe(
      '1# "name" => "Ada"\n2# "n" => (integer) 3',
    );
    expect(await cli('-3', '--no-raw', 'smembers', 's')).toBe('1~ "a"\n2~ "b"');
    expect(await cli('rpush', 'x', 'a', 'b')).toBe('2');
    expect(await cli('-3', 'lrange', 'x', '0', '-1')).toBe('a\nb');
    expect(await cli('info', 'server')).toContain('redis_version:');
    expect(await cli('--scan')).toBe('x');
    const piped = await runTool('redis-cli', ['-p', String(port)], {
      input: 'MULTI\nINCRBY n 1\nEXEC\nNOSUCH\n',
    });
    expect(piped.out).toContain('OK\nQUEUED\n1\n');
    expect(piped.out).toContain("ERR unknown command 'NOSUCH'");
  });

  itWithTool('redis-cli', 'logs in', async () => {
    const { port } = await startHost({ password: 'geheim', mode: 'stateful' });
    const { out: stdout } = await runTool('redis-cli', ['-p', String(port), 'get', 'a']);
    expect(stdout).toContain('NOAUTH Authentication required.');
    const known = await runTool('redis-cli', [
      '-p',
      String(port),
      '-a',
      'geheim',
      '--no-auth-warning',
      'ping',
    ]);
    expect(known.out.trim()).toBe('PONG');
  });
});

describe('redis-benchmark', () => {
  itWithTool(
    'redis-benchmark',
    'runs all its tests',
    async () => {
      const { port } = await startHost({ mode: 'stateful' });
      const args = ['-p', String(port), '-n', '2000', '-q'];
      const { out: stdout, err: stderr } = await runTool('redis-benchmark', args);
      expect(stderr).not.toMatch(/error/i);
      expect(stdout).not.toMatch(/error/i);
      for (const name of ['PING_INLINE', 'SET', 'GET', 'LRANGE_600', 'ZPOPMIN', 'MSET (10 keys)']) {
        expect(stdout).toContain(name);
      }
    },
    60_000,
  );
});

const PYTHON_SCRIPT = `
import redis, sys
r = redis.Redis(port=int(sys.argv[1]), decode_responses=True)
print(r.get('text'), r.get('none'), r.ping())
print(r.setex('k', 10, 'v'), r.ttl('k') in (9, 10), r.get('k'))
with r.pipeline() as p:
    print(p.incr('n').incr('n').execute())
def change(p):
    value = int(p.get('n'))
    p.multi()
    p.incrby('n', value)
print(r.transaction(change, 'n'), r.get('n'))
r.zadd('z', {'a': 1, 'b': 2})
print(r.zrange('z', 0, -1, withscores=True), r.zrank('z', 'b'))
p = r.pubsub()
p.subscribe('c')
print(p.get_message(timeout=5)['type'])
r.publish('c', 'hello')
print(p.get_message(timeout=5)['data'])
print(sorted(r.scan_iter('*')))
try:
    r.lpush('k', 'x')
except redis.ResponseError as e:
    print(e)
print(r.lmove('nothing', 'x'))
with r.client() as c:
    print(c.client_id() > 0, c.info()['redis_version'])
`;

describe('python3-redis', () => {
  itWithTool('python3:redis', 'uses mocks and data', async () => {
    const { port } = await startHost({ mode: 'stateful' }, MOCKS.slice(0, 2));
    const { out: stdout, err: stderr } = await runTool(PYTHON, ['-c', PYTHON_SCRIPT, String(port)]);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      'hellö None True',
      'True True v',
      '[1, 2]',
      '[4] 4',
      "[('a', 1.0), ('b', 2.0)] 1",
      'subscribe',
      'hello',
      "['k', 'n', 'z']",
      'WRONGTYPE Operation against a key holding the wrong kind of value',
      'None',
      'True 7.0.15',
    ]);
  });
});
