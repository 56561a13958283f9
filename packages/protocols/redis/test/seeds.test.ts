import { describe, expect, it } from '@jest/globals';
import { RawClient, startHost } from './support.js';

const DATA = {
  greeting: 'hellö',
  counter: 5,
  flag: true,
  queue: ['a', 2],
  'user:1': { name: 'Ann', logins: 3 },
  odd: { type: 'set', name: 'x' },
  colours: { type: 'set', value: ['red', 'red'] },
  scores: { type: 'zset', value: { ada: 1, bob: 'inf' } },
  session: { type: 'string', value: 'secret', ttl: '1h' },
  events: { type: 'stream', value: [{ type: 'mail' }, { type: 'call' }] },
  numbered: { type: 'stream', value: { '1-1': { a: 1 } }, database: 2 },
};

describe('data of the configuration', () => {
  it('is there from the start, of every type', async () => {
    const { port, host } = await startHost({ data: DATA });
    const client = new RawClient(port);
    expect(await client.ask('GET greeting')).toBe('$6\r\nhell\xc3\xb6\r\n');
    expect(await client.ask('INCR counter')).toBe(':6\r\n');
    expect(await client.ask('GET flag')).toBe('$4\r\ntrue\r\n');
    expect(await client.ask('LRANGE queue 0 -1')).toBe('*2\r\n$1\r\na\r\n$1\r\n2\r\n');
    expect(await client.ask('HMGET user:1 name logins')).toBe('*2\r\n$3\r\nAnn\r\n$1\r\n3\r\n');
    expect(await client.ask('HGET odd type')).toBe('$3\r\nset\r\n');
    expect(await client.ask('SCARD colours')).toBe(':1\r\n');
    expect(await client.ask('ZSCORE scores bob')).toBe('$3\r\ninf\r\n');
    expect(await client.ask('XLEN events')).toBe(':2\r\n');
    expect(await client.ask('DBSIZE')).toBe(':10\r\n');
    expect(await client.ask('TTL session')).toMatch(/^:3(600|59\d)\r\n$/);
    await host.clock.advance(3_600_000);
    expect(await client.ask('EXISTS session')).toBe(':0\r\n');
    await client.ask('SELECT 2');
    expect(await client.ask('XRANGE numbered - +')).toBe(
      '*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$1\r\n1\r\n',
    );
  });

  it('has bytes that are no text in base64, wherever a text stands', async () => {
    const { port } = await startHost({
      data: {
        bytes: { type: 'string', value: { base64: '/wCA' } },
        list: [{ base64: '/w==' }, 'a'],
        hash: { photo: { base64: '/w==' } },
      },
    });
    const client = new RawClient(port);
    expect(await client.ask('GET bytes')).toBe('$3\r\n\xff\0\x80\r\n');
    expect(await client.ask('LRANGE list 0 -1')).toBe('*2\r\n$1\r\n\xff\r\n$1\r\na\r\n');
    expect(await client.ask('HGET hash photo')).toBe('$1\r\n\xff\r\n');
    await expect(startHost({ data: { list: [{ base64: 'no base64' }] } })).rejects.toThrow(
      'the item 0 of the key "list" must be base64, got "no base64"',
    );
  });

  it('is what a reset goes back to', async () => {
    const { port, host } = await startHost({ data: DATA });
    const client = new RawClient(port);
    await client.ask('FLUSHALL');
    await client.ask('SET other x');
    host.reset();
    expect(await client.ask('GET counter')).toBe('$1\r\n5\r\n');
    expect(await client.ask('DBSIZE')).toBe(':10\r\n');
    await client.ask('LPUSH queue z');
    await client.ask('XADD events * a b');
    host.reset();
    expect(await client.ask('LLEN queue')).toBe(':2\r\n');
    expect(await client.ask('XLEN events')).toBe(':2\r\n');
  });

  it.each([
    [{ a: null }, /the value of the key "a" must be a text or a number, got null/],
    [{ a: [] }, /the key "a" is a list: its value must be a list of one item or more/],
    [{ a: [['b']] }, /the item 0 of the key "a" must be a text or a number, got a list/],
    [{ a: {} }, /the key "a" is a hash: its value must be an object such as/],
    [{ 'a/b': { c: { d: 1 } } }, /the field "c" of the key "a\/b" must be a text or a number, got an object/],
    [{ a: { type: 'zset', value: ['x'] } }, /the key "a" is a sorted set: .* such as \{ ada: 1 \}/],
    [
      { a: { type: 'zset', value: { x: 'high' } } },
      /the score of "x" of the key "a" must be a number, got "high"/,
    ],
    [{ a: { type: 'set', value: 'x' } }, /the key "a" is a set: its value must be a list/],
    [{ a: { type: 'string', value: 'x', ttl: 'soon' } }, /soon/],
    [
      { a: { type: 'string', value: 'x', ttl: 5 } },
      /ttl of the key "a" must be a duration, such as 1h, got 5/,
    ],
    [{ a: { type: 'string', value: 'x', database: 16 } }, /database of the key "a" must be 0 to 15, got 16/],
    [
      { a: { type: 'stream', value: { x: { b: 1 } } } },
      /the entry x of the key "a" must have an id such as 1-1/,
    ],
    [
      { a: { type: 'stream', value: { '2-1': { b: 1 }, '1-1': { b: 1 } } } },
      /the entry 1-1 of the key "a" must have an id above/,
    ],
  ])('%j is refused with the key and what would be right', async (data, problem) => {
    await expect(startHost({ data })).rejects.toThrow(problem);
  });

  it('is refused where there is none, and where there is no room', async () => {
    await expect(startHost({ mode: 'mock', data: { a: 'b' } })).rejects.toThrow(/mode mock keeps no data/);
    await expect(startHost({ max_memory: 1024, data: { a: 'b'.repeat(2000) } })).rejects.toThrow(
      /max_memory allows 1024/,
    );
  });
});
