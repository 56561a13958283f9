import { describe, expect, it } from '@jest/globals';
import { eventually, mutate, xorshift32 } from '@backlot/conformance';
import { connectMemjs, converse, RawClient, request, startHost, words32, type Running } from './support.js';

/** What memccapable and memccp of libmemcached send over the text protocol. */
const TEXT_SESSION = [
  'version\r\nverbosity 1\r\n',
  'set foo 0 0 4\r\ntest\r\nset bar 7 100 0 noreply\r\n\r\n',
  'get foo bar none\r\ngets foo\r\ngat 100 foo\r\n',
  'add foo 0 0 1\r\nx\r\nreplace foo 0 0 2\r\n10\r\ncas foo 0 0 2 1\r\n11\r\n',
  'append foo 0 0 1\r\n0\r\nprepend foo 0 0 1\r\n1\r\nincr foo 1\r\ndecr foo 1 noreply\r\n',
  'touch foo 100\r\ndelete bar\r\nstats\r\nstats items\r\n',
  'ms meta 5 T100 F3 c\r\nhello\r\nmg meta v f t k O7 s c\r\nma num N0 J5 v\r\nmd meta q\r\nme num\r\nmn\r\n',
  'flush_all\r\nflush_all 10 noreply\r\nquit\r\n',
].join('');

/** What memjs and memccapable send over the binary protocol. */
const BINARY_SESSION = Buffer.concat([
  request(0x20),
  request(0x21, { key: 'PLAIN', value: '\0user\0password' }),
  request(0x01, { key: 'foo', value: 'hello', extras: words32(1, 100) }),
  request(0x00, { key: 'foo' }),
  request(0x09, { key: 'none' }),
  request(0x0c, { key: 'foo' }),
  request(0x05, { key: 'num', extras: words32(0, 1, 0, 10, 0) }),
  request(0x06, { key: 'num', extras: words32(0, 1, 0, 10, 0) }),
  request(0x0e, { key: 'foo', value: '!' }),
  request(0x1d, { key: 'foo', extras: words32(100) }),
  request(0x04, { key: 'foo' }),
  request(0x10),
  request(0x08),
  request(0x0b),
  request(0x0a),
  request(0x07),
]);

const MUTATIONS = 5_000;
/** How many connections are open at one time. */
const AT_ONCE = 50;
const MOCKS = [
  { id: 'user', command: 'get', key: 'user:*', response: { value: 'ann' } },
  { id: 'num', command: 'incr', key: 'num', response: { value: '{{request.delta}}' } },
];
const INSERTS = [
  '\r\n',
  '\0',
  ' ',
  '-1',
  '4294967296',
  'noreply',
  'set a 0 0 2147483647\r\n',
  'get ',
  'mg a v\r\n',
  '\x80\x00',
  '\xff\xff\xff\xff',
  '\x81',
];

/** A client that is served as if nothing had happened. */
async function checkWell({ port, kind, log }: Running): Promise<void> {
  expect(kind.status()['state']).toBe('running');
  expect(log).toEqual([]);
  const client = connectMemjs(port);
  expect(await client.set('well', 'yes', {})).toBe(true);
  expect((await client.get('well')).value?.toString()).toBe('yes');
  expect((await client.get('user:7')).value?.toString()).toBe('ann');
  client.close();
  await eventually(() => kind.status()['connections'] === 0);
}

/** Whether it is whole answers of the text protocol. */
function isText(answer: string): boolean {
  return answer === '' || answer.endsWith('\r\n') || answer.endsWith('\n');
}

/** Whether it is whole answers of the binary protocol. */
function isBinary(answer: string): boolean {
  const bytes = Buffer.from(answer, 'latin1');
  let at = 0;
  while (at + 24 <= bytes.length && bytes[at] === 0x81) at += 24 + bytes.readUInt32BE(at + 8);
  return at === bytes.length;
}

describe('recorded sessions', () => {
  it('work as they were', async () => {
    const { port } = await startHost();
    const text = await converse(port, TEXT_SESSION);
    expect(text).not.toMatch(/ERROR/);
    expect(text).toMatch(/VALUE foo 0 4\r\ntest\r\nVALUE bar 7 0\r\n\r\nEND\r\n/);
    expect(text.endsWith('MN\r\nOK\r\n')).toBe(true);
    const binary = await converse(port, BINARY_SESSION);
    expect(isBinary(binary)).toBe(true);
    expect(binary).toContain('hello');
  });

  it(`survive ${2 * MUTATIONS} mutations`, async () => {
    const running = await startHost({}, MOCKS);
    const number = xorshift32(20_240_229);
    const sessions = [Buffer.from(TEXT_SESSION, 'latin1'), BINARY_SESSION];
    let errors = 0;
    const throwOne = async (good: Buffer): Promise<void> => {
      const bad = mutate(good, number, INSERTS);
      const answer = await converse(running.port, bad);
      if (bad[0] === 0x80) {
        expect([bad.toString('latin1'), isBinary(answer)]).toEqual([bad.toString('latin1'), true]);
      } else {
        expect([bad.toString('latin1'), isText(answer)]).toEqual([bad.toString('latin1'), true]);
        if (/ERROR/.test(answer)) errors += 1;
      }
    };
    for (let done = 0; done < 2 * MUTATIONS; done += AT_ONCE) {
      const good = sessions[(done / AT_ONCE) % 2] ?? BINARY_SESSION;
      await Promise.all(Array.from({ length: AT_ONCE }, () => throwOne(good)));
    }
    expect(errors).toBeGreaterThan(MUTATIONS / 4);
    await checkWell(running);
  }, 60_000);
});

describe('bad input', () => {
  it.each([
    ['a line without end', 'a'.repeat(1_000_000), 'CLIENT_ERROR line too long\r\n'],
    ['a line of keys without end', `get ${'a '.repeat(600_000)}`, 'CLIENT_ERROR line too long\r\n'],
    ['a size of 2 GiB', 'set a 0 0 2147483645\r\nxxxx', 'SERVER_ERROR object too large for cache\r\n'],
    ['a larger size', 'set a 0 0 2147483648\r\n', 'CLIENT_ERROR bad command line format\r\n'],
    ['a negative size', 'set a 0 0 -1\r\nmn\r\n', 'CLIENT_ERROR bad command line format\r\nMN\r\n'],
    [
      'a size beyond all numbers',
      `set a 0 0 ${'9'.repeat(1_000)}\r\n`,
      'CLIENT_ERROR bad command line format\r\n',
    ],
    ['a request of HTTP', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', ''],
    ['a TLS hello', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\n', 'ERROR\r\n'],
    ['data that is not there', 'set a 0 0 10\r\nabc', ''],
    [
      '__proto__',
      'set __proto__ 0 0 1\r\nx\r\nget __proto__ constructor\r\n',
      'STORED\r\nVALUE __proto__ 0 1\r\nx\r\nEND\r\n',
    ],
  ])('%s is answered or cut', async (_name, text, answer) => {
    const running = await startHost({}, MOCKS);
    expect(await converse(running.port, text)).toBe(answer);
    await checkWell(running);
  });

  it.each([
    [
      'a body shorter than its key',
      Buffer.concat([request(0x00, { key: 'abc' }).subarray(0, 8), words32(1), Buffer.alloc(12)]),
      0x04,
    ],
    [
      'a body of 4 GiB for a get',
      Buffer.concat([request(0x00, { key: 'abc' }).subarray(0, 8), words32(0xffffffff), Buffer.alloc(12)]),
      0x04,
    ],
    [
      'an unknown request of 4 GiB',
      Buffer.concat([Buffer.from([0x80, 0x77, 0, 0, 0, 0, 0, 0]), words32(0xffffffff), Buffer.alloc(12)]),
      0x04,
    ],
    ['a key that is too long', request(0x00, { key: 'k'.repeat(251) }), 0x04],
    ['an unknown request', request(0x77), 0x81],
    [
      'a value of 2 GiB',
      Buffer.concat([Buffer.from([0x80, 0x01, 0, 1, 8, 0, 0, 0]), words32(0x7fffffff), Buffer.alloc(22)]),
      0x03,
    ],
  ])('%s has its status', async (_name, bytes, status) => {
    const running = await startHost({}, MOCKS);
    const answer = Buffer.from(await converse(running.port, bytes), 'latin1');
    expect([answer[0], answer.readUInt16BE(6), isBinary(answer.toString('latin1'))]).toEqual([
      0x81,
      status,
      true,
    ]);
    await checkWell(running);
  });

  it('half sent items hold no memory that was only announced', async () => {
    const running = await startHost({ max_item_bytes: 134_217_728 }, MOCKS);
    const before = process.memoryUsage().arrayBuffers;
    const clients = Array.from({ length: 100 }, () => new RawClient(running.port));
    for (const client of clients) client.send('set a 0 0 67108864\r\nx');
    await eventually(() => running.kind.status()['connections'] === 100);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    for (const client of clients) client.socket.destroy();
    await checkWell(running);
  });

  it('a client that asks for much and never reads is not answered further', async () => {
    const running = await startHost({}, MOCKS);
    const value = 'x'.repeat(1_000_000);
    await converse(running.port, `set big 0 0 ${value.length}\r\n${value}\r\n`);
    const client = new RawClient(running.port);
    client.socket.pause();
    client.send(`get ${'big '.repeat(5_000)}\r\n`.repeat(5));
    const before = process.memoryUsage();
    await eventually(() => running.host.journal.count({ protocol: 'memcached' }).count > 1);
    // Others are served meanwhile.
    for (let count = 0; count < 50; count += 1) await converse(running.port, 'get a\r\n');
    const answered = running.host.journal.list().filter(({ path }) => path === 'big').length;
    expect(answered).toBeLessThan(50);
    expect(process.memoryUsage().rss - before.rss).toBeLessThan(128 * 1024 * 1024);
    client.socket.destroy();
    await checkWell(running);
  });
});
