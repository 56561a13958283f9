import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, problemsOf, runTool } from '@backlot/conformance';
import { RawClient, startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const ECHO = { id: 'echo', request: { path: '/echo' }, response: { body: '{{request.raw_body}}' } };
const JSON_MOCK = {
  id: 'json',
  request: { path: '/', body_json: { name: 'ann' } },
  response: { json: '{{request.body}}' },
};
const TEXT = '{"name":"ann","list":[1,2,3]}';

async function post(url: string, body: Buffer | string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body, headers });
  return `${answer.status} ${await answer.text()}`;
}

/** A body as SDKs of AWS send it: signed chunks, or one with a checksum behind. */
function awsChunks(...texts: string[]): string {
  const chunks = [...texts, ''].map(
    (text) =>
      `${text.length.toString(16)};chunk-signature=${'a'.repeat(64)}\r\n${text}${text === '' ? '' : '\r\n'}`,
  );
  return `${chunks.join('')}x-amz-checksum-crc32:AAAAAA==\r\n\r\n`;
}

describe('the codings that are taken off', () => {
  const HASH = { raw: '{{hash "md5" request.raw_body}}' };
  const mock = (path: string): object => ({ id: path, request: { path }, response: { json: HASH } });
  const chunked = { 'content-encoding': 'gzip,aws-chunked', 'x-amz-content-sha256': 'STREAMING-UNSIGNED' };
  const packed = gzipSync(TEXT);
  const inChunks = Buffer.concat([
    Buffer.from(`${packed.length.toString(16)}\r\n`),
    packed,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const md5 = (bytes: Buffer | string): string => createHash('md5').update(bytes).digest('hex');
  const ask = async (url: string, body: Buffer, headers: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(url, { method: 'POST', body, headers });
    return ((await answer.json()) as { raw: unknown }).raw;
  };

  it('may be named, and what is inside of another one stays as it is', async () => {
    const { url } = await startHttp([mock('/a')], { decode: ['aws-chunked'] });
    expect(await ask(`${url}/a`, inChunks, chunked)).toBe(md5(packed));
    expect(await ask(`${url}/a`, packed, { 'content-encoding': 'gzip' })).toBe(md5(packed));
    const { url: other } = await startHttp([mock('/a')], { decode: ['gzip'] });
    expect(await ask(`${other}/a`, inChunks, chunked)).toBe(md5(inChunks));
  });

  it('are those of the longest mount that a request is below', async () => {
    const { url } = await startHttp([mock('/s3/x/a'), mock('/s3/b'), mock('/s3b')], {
      mounts: [
        { path: '/s3', decode: ['aws-chunked'] },
        { path: '/s3/x', decode: false },
      ],
    });
    expect(await ask(`${url}/s3/x/a`, inChunks, chunked)).toBe(md5(inChunks));
    expect(await ask(`${url}/s3/b`, inChunks, chunked)).toBe(md5(packed));
    expect(await ask(`${url}/s3b`, inChunks, chunked)).toBe(md5(TEXT));
  });
});

describe('encoded requests', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['Deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['identity', Buffer.from(TEXT)],
    ['aws-chunked', Buffer.from(awsChunks(TEXT.slice(0, 10), TEXT.slice(10)))],
  ])('are decoded before they are matched: %s', async (encoding, body) => {
    const server = await startHttp([JSON_MOCK]);
    expect(await post(server.url, body, { 'content-encoding': encoding })).toBe(`200 ${TEXT}`);
    expect(server.host.journal.list()).toMatchObject([
      { body: TEXT, headers: { 'content-encoding': encoding }, matched_id: 'json' },
    ]);
  });

  it('of AWS are known by the hash that they name', async () => {
    const server = await startHttp([ECHO]);
    const headers = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' };
    expect(await post(`${server.url}/echo`, awsChunks('one ', 'two'), headers)).toBe('200 one two');
    // Byte by byte over the wire.
    const body = awsChunks('one ', 'two');
    const client = new RawClient(server.port);
    client.send(
      `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Encoding: aws-chunked\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    );
    for (const byte of body) client.send(byte);
    expect(await client.closed).toMatch(/\r\n\r\none two$/);
  });

  it('with a coding that nobody knows stay as they are, and all do without `decode`', async () => {
    const server = await startHttp([ECHO]);
    expect(await post(`${server.url}/echo`, 'x', { 'content-encoding': 'lzma' })).toBe('200 x');
    const plain = await startHttp([ECHO], { decode: false });
    const answer = await fetch(`${plain.url}/echo`, {
      method: 'POST',
      body: gzipSync(TEXT),
      headers: { 'content-encoding': 'gzip' },
    });
    expect(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()).toBe(TEXT);
  });

  it.each([
    ['gzip', 'no gzip at all', 'is not valid gzip: incorrect header check'],
    ['gzip', gzipSync(TEXT).subarray(0, 30), 'is not valid gzip: unexpected end of file'],
    ['deflate', 'no deflate', 'is not valid deflate: '],
    ['br', 'no brotli', 'is not valid br: '],
    ['aws-chunked', 'zz\r\n', 'is not valid aws-chunked: \\"zz\\" is not the first line of a chunk'],
    ['aws-chunked', '5\r\nab', 'is not valid aws-chunked: it ends before its last chunk'],
    ['aws-chunked', '1\r\nabc\r\n0\r\n\r\n', 'is not valid aws-chunked: a chunk is longer than'],
  ])('that are broken are refused with 400: %s %#', async (encoding, body, message) => {
    const server = await startHttp([ECHO]);
    const answer = await post(`${server.url}/echo`, body, { 'content-encoding': encoding });
    expect(answer).toMatch(/^400 \{"error":"the request body /);
    expect(answer).toContain(message);
    expect(server.host.journal.list()).toMatchObject([{ status: 400 }]);
  });

  it('are bounded before and after decoding, and nothing is decoded beyond the bound', async () => {
    const server = await startHttp([ECHO], { max_body_bytes: 100_000 });
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    expect(bomb.length).toBeGreaterThan(100_000);
    const small = gzipSync(Buffer.alloc(50_000_000));
    expect(small.length).toBeLessThan(100_000);
    const before = process.memoryUsage().rss;
    for (const body of [bomb, small]) {
      expect(await post(`${server.url}/echo`, body, { 'content-encoding': 'gzip' })).toBe(
        '413 {"error":"the request body is larger than 100000 bytes, the limit of max_body_bytes"}',
      );
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
  });

  it('whose client leaves are forgotten', async () => {
    const server = await startHttp([ECHO]);
    const client = new RawClient(server.port);
    client.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n');
    client.socket.write(gzipSync(TEXT).subarray(0, 12));
    client.socket.end();
    await client.closed;
    expect(await post(`${server.url}/echo`, gzipSync('x'), { 'content-encoding': 'gzip' })).toBe('200 x');
  });

  it('come over HTTP/2', async () => {
    const server = await startHttp([JSON_MOCK]);
    const session = http2.connect(server.url);
    const ask = async (body: Buffer | string): Promise<string> => {
      const stream = session.request({ ':method': 'POST', ':path': '/', 'content-encoding': 'gzip' });
      stream.on('error', () => undefined);
      stream.setEncoding('utf8');
      let text = '';
      stream.on('data', (part: string) => (text += part));
      const [headers] = (await Promise.all([once(stream, 'response'), once(stream.end(body), 'end')]))[0];
      return `${String((headers as Record<string, unknown>)[':status'])} ${text}`;
    };
    expect(await ask(gzipSync(TEXT))).toBe(`200 ${TEXT}`);
    expect(await ask('broken')).toMatch(/^400 /);
    session.close();
  });
});

describe('compressed answers', () => {
  const MOCKS = [
    {
      id: 'a',
      request: { path: '/' },
      response: { body: 'hello '.repeat(100), compress: true, headers: { ETag: '"1"', Vary: 'Origin' } },
    },
    { id: 'n', request: { path: '/304' }, response: { status: 304, compress: true } },
    { id: 't', request: { path: '/t/{id}' }, response: { json: { id: '{{params.id}}' }, compress: true } },
    {
      id: 'e',
      request: { path: '/encoded' },
      response: {
        body_base64: gzipSync('ready').toString('base64'),
        headers: { 'Content-Encoding': 'gzip' },
        compress: true,
      },
    },
  ];

  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip;q=0.8, *;q=0', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['identity, gzip;q=0.5', null],
    ['zstd', null],
    ['', null],
  ])('follow %j', async (accept, encoding) => {
    const server = await startHttp(MOCKS);
    const answer = await fetch(server.url, { headers: { 'accept-encoding': accept } });
    expect([
      answer.headers.get('content-encoding'),
      answer.headers.get('vary'),
      answer.headers.get('etag'),
      await answer.text(),
    ]).toEqual([
      encoding,
      'Origin, Accept-Encoding',
      encoding === null ? '"1"' : 'W/"1"',
      'hello '.repeat(100),
    ]);
    expect(server.host.journal.list()[0]?.response?.body).toBe('hello '.repeat(100));
  });

  it('have no body for HEAD and 304, and are never encoded twice', async () => {
    const server = await startHttp(MOCKS);
    const headers = { 'accept-encoding': 'gzip' };
    const get = async (method: string, path: string): Promise<http.IncomingMessage & { size: number }> => {
      const request = http.request(server.url + path, { method, headers });
      const [answer] = (await once(request.end(), 'response')) as [http.IncomingMessage];
      let size = 0;
      for await (const chunk of answer) size += (chunk as Buffer).length;
      return Object.assign(answer, { size });
    };
    const [whole, head, none, encoded] = [
      await get('GET', '/'),
      await get('HEAD', '/'),
      await get('GET', '/304'),
      await get('GET', '/encoded'),
    ];
    expect(whole.size).toBe(Number(whole.headers['content-length']));
    expect(whole.size).toBeLessThan(100);
    expect([head.size, head.headers['content-length'], head.headers['content-encoding']]).toEqual([
      0,
      whole.headers['content-length'],
      'gzip',
    ]);
    expect([none.statusCode, none.size, none.headers['content-encoding'], none.headers['vary']]).toEqual([
      304,
      0,
      undefined,
      'Accept-Encoding',
    ]);
    expect([encoded.size, encoded.headers['content-encoding']]).toEqual([gzipSync('ready').length, 'gzip']);
  });

  it('are refused for streams', async () => {
    const server = await startHttp([]);
    const mock = {
      request: { path: '/' },
      response: { compress: true },
      stream: { events: [{ data: 'a' }] },
    };
    expect(problemsOf(() => server.host.kind('http').mocks.create(mock as never))).toEqual([
      '/response/compress a stream has no whole body, which compress needs; leave it out',
    ]);
  });

  itWithTool('curl', 'are read by curl', async () => {
    const server = await startHttp(MOCKS);
    expect((await runTool('curl', ['-s', '--compressed', `${server.url}/t/7`])).out).toBe('{"id":"7"}');
  });
});

describe('ranges', () => {
  const BODY = '0123456789';
  const MOCKS = [
    {
      id: 'a',
      request: { path: '/' },
      response: { body: BODY, ranges: true, headers: { ETag: '"v1"' } },
    },
    { id: 'z', request: { path: '/z' }, response: { body: BODY, ranges: true, compress: true } },
    { id: 'p', request: { path: '/plain' }, response: { body: BODY } },
  ];

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-200', 206, BODY, 'bytes 0-9/10'],
    ['bytes=5-500', 206, '56789', 'bytes 5-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=20-30, 40-', 416, '', 'bytes */10'],
    ['bytes=20-30, 1-1', 206, '1', 'bytes 1-1/10'],
    ['bytes=3-1', 200, BODY, null],
    ['bytes=a-b', 200, BODY, null],
    ['lines=1-2', 200, BODY, null],
    ['bytes=', 200, BODY, null],
    ['bytes=0-9, 0-9', 200, BODY, null],
    [`bytes=${Array.from({ length: 17 }, () => '1-1').join(',')}`, 200, BODY, null],
  ])('%s gives %i', async (range, status, body, contentRange) => {
    const server = await startHttp(MOCKS);
    const answer = await fetch(server.url, { headers: { range } });
    expect([
      answer.status,
      await answer.text(),
      answer.headers.get('content-range'),
      answer.headers.get('accept-ranges'),
    ]).toEqual([status, body, contentRange, 'bytes']);
    expect(answer.headers.get('content-length')).toBe(String(body.length));
  });

  it('of several parts come as multipart/byteranges', async () => {
    const server = await startHttp(MOCKS);
    const answer = await fetch(server.url, { headers: { range: 'bytes=0-1, 8-' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      206,
      'multipart/byteranges; boundary=backlot-part',
    ]);
    expect(await answer.text()).toBe(
      '\r\n--backlot-part\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 0-1/10\r\n\r\n01' +
        '\r\n--backlot-part\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 8-9/10\r\n\r\n89' +
        '\r\n--backlot-part--\r\n',
    );
  });

  it('depend on If-Range, the method, and the mock', async () => {
    const server = await startHttp(MOCKS);
    const statusOf = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
      (await fetch(server.url + path, { method, headers: { range: 'bytes=0-0', ...headers } })).status;
    expect(await statusOf('/', { 'if-range': '"v1"' })).toBe(206);
    expect(await statusOf('/', { 'if-range': '"v2"' })).toBe(200);
    expect(await statusOf('/', { 'if-range': 'W/"v1"' })).toBe(200);
    expect(await statusOf('/', { 'if-range': 'Sun, 06 Nov 1994 08:49:37 GMT' })).toBe(200);
    expect(await statusOf('/', {}, 'POST')).toBe(200);
    expect(await statusOf('/', {}, 'HEAD')).toBe(200);
    expect(await statusOf('/plain', {})).toBe(200);
    expect(await statusOf('/z', { 'accept-encoding': 'gzip' })).toBe(206);
  });

  itWithTool('curl', 'are asked for by curl', async () => {
    const server = await startHttp(MOCKS);
    expect((await runTool('curl', ['-s', '-r', '2-4', server.url])).out).toBe('234');
    expect((await runTool('curl', ['-s', '-r', '-3', server.url])).out).toBe('789');
  });
});
