import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const HEAD = 'POST /api/mocks/echo HTTP/1.1\r\nHost: localhost\r\n';

describe('a body', () => {
  it('is JSON whatever its content type says', async () => {
    const { call } = await start();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-8',
      'nonsense',
    ]) {
      expect((await call('POST', '/api/mocks/echo', '{"match":"x"}', { 'content-type': type })).status).toBe(
        201,
      );
    }
    expect((await call('POST', '/api/mocks/echo', '\ufeff{"match":"x"}')).status).toBe(201);
    expect((await call('POST', '/api/mocks/echo', '{}', { 'content-encoding': 'identity' })).status).toBe(
      201,
    );
  });

  it.each([
    ['', 'the body is empty; send a JSON value'],
    ['{', 'expected a name in double quotes at position 1 (line 1, column 2), got the end'],
    ['{"a":1,}', 'expected a name in double quotes at position 7 (line 1, column 8), got "}"'],
    ['{"a" 1}', 'expected ":" at position 5 (line 1, column 6), got "1"'],
    ['{\n "a": tru\n}', 'expected a JSON value at position 8 (line 2, column 7), got "t"'],
    ['{"a":1 "b":2}', 'expected "," or "}" at position 7 (line 1, column 8), got "\\""'],
    ['[1,2', 'expected "," or "]" at position 4 (line 1, column 5), got the end'],
    ['{} {}', 'expected the end of the text at position 3 (line 1, column 4), got "{"'],
    ['"a\\x"', 'expected an escape such as \\n or \\u0041 at position 2 (line 1, column 3), got "\\\\"'],
    [
      '"a\nb"',
      'expected a closing quote, and control characters written as escapes at position 2 (line 1, column 3), got "\\n"',
    ],
    ['name=x', 'expected a JSON value at position 0 (line 1, column 1), got "n"'],
    ['{"a":01}', 'expected "," or "}" at position 6 (line 1, column 7), got "1"'],
    ['   ', 'expected a JSON value at position 3 (line 1, column 4), got the end'],
    ['{"a":NaN}', 'expected a JSON value at position 5 (line 1, column 6), got "N"'],
  ])('%j is refused with its place', async (text, message) => {
    const { call } = await start();
    const { status, body } = await call('POST', '/api/mocks/echo', text);
    expect(status).toBe(400);
    expect(body.error).toContain(message);
  });

  it('is refused when it is not UTF-8', async () => {
    const { call } = await start();
    const bytes = Buffer.from('{"match":"\u00e9"}', 'latin1');
    const { status, body } = await call('POST', '/api/mocks/echo', bytes);
    expect([status, body]).toEqual([400, { error: 'the body is not UTF-8; JSON is sent as UTF-8' }]);
  });

  it('may be nested 64 levels deep', async () => {
    const { call } = await start();
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect((await call('POST', '/api/mocks/echo', nested(64))).body.error).not.toContain('nested');
    for (const text of [nested(65), nested(200_000), '['.repeat(200_000), '{"a":'.repeat(200_000)]) {
      const { status, body } = await call('POST', '/api/mocks/echo', text);
      expect([status, body.error]).toEqual([400, expect.stringContaining('nested deeper than 64 levels')]);
    }
    const brackets = JSON.stringify({ match: '[{"\\"'.repeat(100) });
    expect((await call('POST', '/api/mocks/echo', brackets)).status).toBe(201);
  });

  it('that is compressed is refused', async () => {
    const { call } = await start();
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity']) {
      const { status, body } = await call('POST', '/api/mocks/echo', gzipSync('{}'), {
        'content-encoding': encoding,
      });
      expect([encoding, status, body.error]).toEqual([
        encoding,
        415,
        expect.stringContaining('not supported'),
      ]);
    }
  });

  it('that announces too much is refused before it comes', async () => {
    const { raw, call } = await start();
    const text = await raw(`${HEAD}Content-Length: 200000000\r\n\r\n`, /\}$/);
    expect(text).toMatch(
      /^HTTP\/1.1 413[^]*a body of 200000000 bytes is too large; at most 10485760 bytes are taken/,
    );
    expect(
      await raw('POST /api/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000\r\n\r\n', /\}$/),
    ).toMatch(/^HTTP\/1.1 413/);
    expect((await call('GET', '/api/health')).status).toBe(200);
  });

  it('that is too large is refused while it comes, and the client reads the answer', async () => {
    const { call } = await start({ maxBodyBytes: 1_000 });
    expect((await call('POST', '/api/mocks/echo', JSON.stringify({ match: 'x'.repeat(900) }))).status).toBe(
      201,
    );
    const announced = await call('POST', '/api/mocks/echo', 'x'.repeat(5_000_000));
    expect(announced.status).toBe(413);
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(500).fill(32));
      },
    });
    const { url } = await start({ maxBodyBytes: 1_000 });
    const endless = await fetch(`${url}/api/mocks/echo`, {
      method: 'POST',
      body: chunks,
      duplex: 'half',
    });
    expect([endless.status, await endless.json()]).toEqual([
      413,
      { error: 'a body of more bytes is too large; at most 1000 bytes are taken' },
    ]);
  });

  it('without end does not keep its connection', async () => {
    const { server, port } = await start({ maxBodyBytes: 1_000 });
    const { connect } = await import('node:net');
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
    await closed;
    expect(socket.bytesWritten).toBeLessThan(200_000_000);
    expect(server.listening).toBe(true);
  });

  it('that was promised is asked for, unless it is refused', async () => {
    const { raw } = await start({ maxBodyBytes: 1_000 });
    const expecting = (length: number): string =>
      `${HEAD}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    expect(await raw(expecting(2), /100 Continue\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const refused = await raw(expecting(2_000));
    expect(refused).toMatch(/^HTTP\/1.1 413/);
    expect(refused).toMatch(/connection: close/i);
  });

  it('whose client leaves changes nothing', async () => {
    const { raw, call, port } = await start();
    const { connect } = await import('node:net');
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`${HEAD}Content-Length: 10\r\n\r\n{"id"`, () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await call('GET', '/api/mocks/echo')).body).toEqual([]);
    expect(await raw('GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 200/,
    );
  });

  it('of odd names is plain data', async () => {
    const { call } = await start();
    const answer = await call(
      'POST',
      '/api/mocks/echo',
      '{"id":"__proto__","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    expect(answer.status).toBe(400);
    expect(answer.body.details.map((problem: { path: string }) => problem.path).sort()).toEqual([
      '/__proto__',
      '/constructor',
    ]);
    expect((await call('POST', '/api/mocks/echo', '{"id":"__proto__"}')).status).toBe(201);
    expect((await call('GET', '/api/mocks/echo/__proto__')).body).toEqual({ id: '__proto__' });
    expect((await call('GET', '/api/mocks/echo/constructor')).status).toBe(404);
    expect((await call('GET', '/api/calls/echo/__proto__')).body).toEqual({
      mock_id: '__proto__',
      count: 0,
      calls: [],
    });
    expect(
      (await call('POST', '/api/scenarios', '{"id":"constructor","faults":{"__proto__":{}}}')).status,
    ).toBe(400);
    expect((await call('POST', '/api/fault/echo', '{"__proto__":{"text":"x"}}')).status).toBe(400);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
