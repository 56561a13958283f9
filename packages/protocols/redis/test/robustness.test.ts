import { describe, expect, it } from '@jest/globals';
import { eventually, xorshift32 } from '@backlot/conformance';
import { Redis } from 'ioredis';
import { command, converse, encode, endOfReply, RawClient, startHost, type Running } from './support.js';

/**
 * What ioredis sent: it connected, asked what it asks, and used strings, lists, a transaction and a subscription.
 * It empties the data first, else the list would grow with every mutation.
 */
const SESSION = [
  encode('hello', '3'),
  encode('client', 'SETINFO', 'LIB-VER', '6.0.0'),
  encode('client', 'SETINFO', 'LIB-NAME', 'ioredis'),
  encode('info'),
  encode('flushall'),
  encode('set', 'greeting', 'hello', 'EX', '100'),
  encode('get', 'greeting'),
  encode('get', 'mocked'),
  encode('rpush', 'list', 'a', 'b', 'c'),
  encode('lrange', 'list', '0', '-1'),
  encode('zadd', 'scores', '1', 'a', '2.5', 'b'),
  encode('zrange', 'scores', '0', '-1', 'WITHSCORES'),
  encode('hset', 'hash', 'field', 'value'),
  encode('multi'),
  encode('incr', 'counter'),
  encode('exec'),
  encode('subscribe', 'news'),
  encode('publish', 'news', 'hi'),
  encode('unsubscribe', 'news'),
  encode('scan', '0', 'MATCH', '*', 'COUNT', '100'),
  'PING\r\n',
  encode('quit'),
].join('');
const MUTATIONS = 10_000;
/** How many connections are open at one time. */
const AT_ONCE = 50;
const MOCKS = [
  { id: 'mocked', command: 'GET', key: 'mocked', response: { type: 'bulk', value: '{{request.key}}' } },
];

const INSERTS = [
  '\r\n',
  '\0',
  '*',
  '$',
  '-1',
  '4294967296',
  '*3\r\n',
  '$0\r\n\r\n',
  '"',
  "'",
  '\xff',
  '*-1\r\n',
  '(',
  '[',
];

/** Changes good bytes in one to four places. */
function mutate(good: string, number: (below: number) => number): string {
  let bytes = good;
  for (let changes = 1 + number(4); changes > 0; changes -= 1) {
    const at = number(bytes.length + 1);
    const kind = number(5);
    if (kind === 0) bytes = bytes.slice(0, at) + String.fromCharCode(number(256)) + bytes.slice(at + 1);
    else if (kind === 1) bytes = bytes.slice(0, at) + bytes.slice(at + 1 + number(20));
    else if (kind === 2) bytes = bytes.slice(0, at);
    else if (kind === 3) bytes = bytes.slice(0, at) + bytes.slice(number(at + 1));
    else bytes = bytes.slice(0, at) + (INSERTS[number(INSERTS.length)] ?? '') + bytes.slice(at);
  }
  return bytes;
}

/** A client that is served as if nothing had happened. */
async function checkWell({ port, kind, log }: Running): Promise<void> {
  expect(kind.status()['state']).toBe('running');
  expect(log.filter((line) => !line.includes('speaks HTTP'))).toEqual([]);
  const client = new Redis({ port, host: '127.0.0.1' });
  expect(await client.get('mocked')).toBe('mocked');
  expect(await client.quit()).toBe('OK');
  await eventually(() => kind.status()['connections'] === 0);
}

/** Whether a text is nothing but whole answers. */
function isWellFormed(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    at = endOfReply(text, at);
    if (at < 0) return false;
  }
  return true;
}

describe('a recorded session', () => {
  it('works as it was', async () => {
    const { port } = await startHost({ mode: 'stateful' }, MOCKS);
    const answer = await converse(port, SESSION);
    expect(isWellFormed(answer)).toBe(true);
    expect(answer).toContain('$6\r\nmocked\r\n');
    expect(answer).toMatch(/\+PONG\r\n\+OK\r\n$/);
  });

  it(`survives ${MUTATIONS} mutations, each answered or cut`, async () => {
    const running = await startHost({ mode: 'stateful' }, MOCKS);
    const number = xorshift32(20_240_229);
    let refused = 0;
    const throwOne = async (): Promise<void> => {
      const text = await converse(running.port, mutate(SESSION, number));
      expect(isWellFormed(text)).toBe(true);
      if (/-ERR Protocol error: [^\r]+\r\n$/.test(text)) refused += 1;
    };
    for (let done = 0; done < MUTATIONS; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, throwOne));
    }
    expect(refused).toBeGreaterThan(MUTATIONS / 20);
    await checkWell(running);
  }, 60_000);
});

describe('bad input', () => {
  it.each([
    ['2^31 arguments', '*2147483648\r\n', 'invalid multibulk length'],
    ['a million and one arguments', '*1048577\r\n', 'invalid multibulk length'],
    ['a count beyond all numbers', `*${'9'.repeat(100)}\r\n`, 'invalid multibulk length'],
    ['a count that is none', '*abc\r\n', 'invalid multibulk length'],
    ['a gigabyte', '*2\r\n$3\r\nGET\r\n$1000000000\r\n', 'invalid bulk length'],
    ['a negative length', '*1\r\n$-5\r\n', 'invalid bulk length'],
    ['a length that is none', '*1\r\n$abc\r\n', 'invalid bulk length'],
    ['no length at all', '*1\r\n$\r\n', 'invalid bulk length'],
    ['an array in an array', '*1\r\n*1\r\n$4\r\nPING\r\n', "expected '$', got '*'"],
    ['a number in place of a text', '*1\r\n:1\r\n', "expected '$', got ':'"],
    ['a line without end', 'A'.repeat(70_000), 'too big inline request'],
    ['a megabyte without end', 'A'.repeat(1_000_000), 'too big inline request'],
    ['a count without end', `*${'1'.repeat(70_000)}`, 'too big mbulk count string'],
    ['a length without end', `*1\r\n$${'1'.repeat(70_000)}`, 'too big bulk count string'],
    ['an open quote', 'SET a "b\r\n', 'unbalanced quotes in request'],
    ['text behind a quote', 'SET a "b"c\r\n', 'unbalanced quotes in request'],
  ])('%s is refused', async (_name, bytes, error) => {
    const running = await startHost({}, MOCKS);
    expect(await converse(running.port, bytes)).toBe(`-ERR Protocol error: ${error}\r\n`);
    await checkWell(running);
  });

  it('more bytes in one request than allowed are refused before they come', async () => {
    const running = await startHost({ max_request_bytes: 10_000 }, MOCKS);
    const bytes = `*3\r\n$3\r\nSET\r\n$6000\r\n${'a'.repeat(6000)}\r\n$6000\r\n`;
    expect(await converse(running.port, bytes)).toBe('-ERR Protocol error: invalid bulk length\r\n');
    await checkWell(running);
  });

  it('without login little may be announced', async () => {
    const { port } = await startHost({ password: 'geheim' });
    expect(await converse(port, '*11\r\n')).toBe('-ERR Protocol error: unauthenticated multibulk length\r\n');
    expect(await converse(port, '*1\r\n$20000\r\n')).toBe(
      '-ERR Protocol error: unauthenticated bulk length\r\n',
    );
  });

  it.each([
    ['GET', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', '$-1\r\n'],
    ['POST', 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\nSET a b\r\n', ''],
  ])('HTTP %s on the port is cut', async (_name, bytes, answer) => {
    const running = await startHost({}, MOCKS);
    expect(answer.startsWith(await converse(running.port, bytes))).toBe(true);
    expect(running.log).toEqual([expect.stringContaining('speaks HTTP to the Redis port')]);
    await checkWell(running);
  });

  it('a TLS hello is no request', async () => {
    const running = await startHost({}, MOCKS);
    const answer = await converse(running.port, '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\n');
    expect(answer).toMatch(/^-ERR /);
    await checkWell(running);
  });

  it('empty requests are no requests, and a request may come byte by byte', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    client.send('\r\n*0\r\n*-1\r\n   \r\n');
    for (const byte of encode('ECHO', 'hällo')) client.send(byte);
    expect(await client.reply()).toBe('$6\r\nh\xc3\xa4llo\r\n');
  });

  it('a large request may come in many parts', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    client.send(encode('SET', 'large', 'x'.repeat(20_000_000)));
    expect(await client.reply()).toBe('+OK\r\n');
    expect(await client.ask('STRLEN large')).toBe(':20000000\r\n');
  });
});

describe('memory', () => {
  it('of data is bounded, and told in the words of Redis', async () => {
    const { port } = await startHost({ mode: 'stateful', max_memory: 100_000 });
    const client = new RawClient(port);
    const answers: string[] = [];
    for (let n = 0; n < 30; n += 1) answers.push(await client.ask(`SET key${n} ${'x'.repeat(10_000)}`));
    expect(answers.filter((answer) => answer === '+OK\r\n')).toHaveLength(10);
    expect(answers.at(-1)).toBe("-OOM command not allowed when used memory > 'maxmemory'.\r\n");
    expect(await client.ask('DEL key1')).toBe(':1\r\n');
    expect(await client.ask('RPUSH list x')).toBe(':1\r\n');
    expect(await client.ask('SETRANGE hole 500000000 x')).toMatch(/^-ERR string exceeds/);
  });

  it('of a transaction is bounded', async () => {
    const { port } = await startHost({ mode: 'stateful', max_request_bytes: 50_000 });
    const client = new RawClient(port);
    expect(await client.ask('MULTI')).toBe('+OK\r\n');
    const answers = [];
    for (let n = 0; n < 10; n += 1) answers.push(await client.ask(`SET a ${'x'.repeat(10_000)}`));
    expect(answers.at(-1)).toMatch(/^-ERR the transaction is larger/);
    expect(await client.ask('EXEC')).toMatch(/^-EXECABORT/);
  });

  it('of what a slow reader has not read is bounded, and it gets all in the end', async () => {
    const { port, kind } = await startHost({ mode: 'stateful' });
    const writer = new RawClient(port);
    writer.send(encode('SET', 'large', 'x'.repeat(1_000_000)));
    await writer.reply();
    const slow = new RawClient(port);
    slow.socket.pause();
    const before = process.memoryUsage().rss;
    slow.send(command('GET large').repeat(150));
    await eventually(() => kind.status()['connections'] === 2);
    // Others are served meanwhile.
    for (let n = 0; n < 200; n += 1) expect(await writer.ask('PING')).toBe('+PONG\r\n');
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    let bytes = 0;
    slow.socket.removeAllListeners('data');
    slow.socket.on('data', (chunk) => (bytes += chunk.length));
    slow.socket.resume();
    await eventually(() => bytes === 150 * 1_000_012);
  }, 20_000);

  it('of what a slow subscriber has not read is bounded: it is cut', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const slow = new RawClient(port);
    expect(await slow.ask('SUBSCRIBE news')).toContain('news');
    slow.socket.pause();
    const publisher = new RawClient(port);
    const message = encode('PUBLISH', 'news', 'x'.repeat(100_000));
    let listeners = ':1\r\n';
    for (let n = 0; n < 500 && listeners === ':1\r\n'; n += 1) {
      publisher.send(message);
      listeners = await publisher.reply();
    }
    expect(listeners).toBe(':0\r\n');
  });

  it('patterns that would explode do not', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    await client.ask(`SET ${'a'.repeat(1000)} 1`);
    expect(await client.ask(`KEYS ${'a*'.repeat(100)}b`)).toBe('*0\r\n');
  });
});
