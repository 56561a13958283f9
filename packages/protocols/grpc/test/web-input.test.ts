import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { ACME } from './support/acme.js';
import { folderWith, get, later, startHost, type Running } from './support/grpc-host.js';
import type { Json } from '@backlot/core';

const GET = '/acme.Users/Get';
const SAFE = ACME.replace(
  'rpc Get(GetUser) returns (User);',
  'rpc Get(GetUser) returns (User) { option idempotency_level = NO_SIDE_EFFECTS; }',
);

/** What came back. */
interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

function start(settings: Json = {}): Promise<Running> {
  return startHost({
    mocks: [
      { method: 'Get', match: { id: '404' }, error: { code: 'NOT_FOUND', message: 'nobody' } },
      {
        method: 'Get',
        response: { name: '{{request.body.name}}', role: 'ADMIN', created_at: '2026-01-31T12:00:00Z' },
      },
      { method: 'Watch', stream: [{ response: { name: 'a' } }] },
      { method: 'Add', response: { count: 1 } },
    ],
    ...settings,
  });
}

function one(
  { port }: Running,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
  path = GET,
  method = 'POST',
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { port, host: '127.0.0.1', path, method, headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function two(
  { port }: Running,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
  path = GET,
  method = 'POST',
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    later(() => session.destroy());
    session.on('error', reject);
    const stream = session.request({ ':path': path, ':method': method, ...headers });
    const chunks: Buffer[] = [];
    let got: http2.IncomingHttpHeaders = {};
    stream.on('response', (received) => (got = received));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () =>
      resolve({ status: Number(got[':status']), headers: got, body: Buffer.concat(chunks) }),
    );
    stream.on('error', reject);
    // One of GET has ended already.
    if (method !== 'GET') stream.end(body);
  });
}

const VERSIONS = [
  ['HTTP/1.1', one],
  ['HTTP/2', two],
] as const;
const JSON_TYPE = { 'content-type': 'application/json' };
const json = ({ body }: Got): unknown => JSON.parse(body.toString());

function envelope(flags: number, payload: string | Buffer, length = Buffer.from(payload).length): Buffer {
  const head = Buffer.from([flags, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** The parts of a body: flags and text. */
function partsOf(body: Buffer): [number, string][] {
  const parts: [number, string][] = [];
  for (let at = 0; at < body.length; at += 5 + body.readUInt32BE(at + 1))
    parts.push([body.readUInt8(at), body.subarray(at + 5, at + 5 + body.readUInt32BE(at + 1)).toString()]);
  return parts;
}

async function isWell({ users, log }: Running): Promise<void> {
  expect(await get(users, { name: 'well' })).toMatchObject({ code: 'OK', value: { name: 'well' } });
  expect(log).toEqual([]);
}

describe.each(VERSIONS)('Connect by %s', (_, ask) => {
  it('answers plain JSON with the JSON form of protobuf, and skips fields that nobody knows', async () => {
    const running = await start();
    const got = await ask(running, JSON_TYPE, '{"id": 5, "name": "Ada", "nick": [{}]}');
    expect([got.status, got.headers['content-type']]).toEqual([200, 'application/json']);
    expect(json(got)).toEqual({ name: 'Ada', role: 'ADMIN', createdAt: '2026-01-31T12:00:00Z' });
    const missing = await ask(running, JSON_TYPE, '{"id": "404"}');
    expect([missing.status, json(missing)]).toEqual([404, { code: 'not_found', message: 'nobody' }]);
    await isWell(running);
  });

  it('answers a method without side effects by GET, and no other', async () => {
    const folder = folderWith({ 'safe.proto': SAFE });
    const running = await start({ protos: [`${folder}/safe.proto`] });
    const ofGet = (query: string): Promise<Got> => ask(running, {}, '', `${GET}?${query}`, 'GET');
    const good = [
      'connect=v1&encoding=json&message=%7B%22name%22%3A%22Ada%22%7D',
      `encoding=json&base64=1&message=${Buffer.from('{"name":"Ada"}').toString('base64url')}`,
      `connect=v1&encoding=json&base64=1&compression=gzip&message=${gzipSync('{"name":"Ada"}').toString('base64url')}`,
    ];
    for (const query of good) expect(json(await ofGet(query))).toMatchObject({ name: 'Ada' });
    const proto = await ofGet('connect=v1&encoding=proto&base64=1&message=EgNBZGE');
    expect([proto.status, proto.headers['content-type']]).toEqual([200, 'application/proto']);
    const bad: [string, string][] = [
      ['connect=v2&encoding=json&message={}', 'must be v1, got \\"v2\\"'],
      ['connect=v1&encoding=xml&message={}', 'must be json or proto, got \\"xml\\"'],
      ['connect=v1&encoding=json', '\\"message\\" in the query is missing'],
      ['connect=v1&encoding=json&base64=1&message=%23', 'must be base64'],
    ];
    for (const [query, text] of bad) {
      const got = await ofGet(query);
      expect([got.status, json(got)]).toEqual([
        400,
        { code: 'invalid_argument', message: expect.any(String) },
      ]);
      expect(got.body.toString()).toContain(text);
    }
    expect((await ofGet('connect=v1&encoding=json&message={}&compression=snappy')).status).toBe(501);
    const other = await ask(running, {}, '', '/acme.Users/Watch?connect=v1&encoding=json&message={}', 'GET');
    expect([other.status, other.headers['allow']]).toEqual([405, 'POST']);
    expect((await ask(await start(), {}, '', `${GET}?encoding=json&message={}`, 'GET')).status).toBe(405);
  });

  it.each<[string, number, string, string, Record<string, string>, (string | Buffer)?]>([
    ['no JSON', 400, 'invalid_argument', 'the request is no acme.GetUser: is no JSON', {}, '{"id"'],
    ['no body', 400, 'invalid_argument', 'is no JSON', {}],
    ['a wrong type', 400, 'invalid_argument', 'id: must be an int64, got \\"x\\"', {}, '{"id":"x"}'],
    ['a list', 400, 'invalid_argument', 'must be an object', {}, '[]'],
    ['deep JSON', 400, 'invalid_argument', 'nested deeper', {}, '['.repeat(100_000)],
    ['too many values', 429, 'resource_exhausted', 'too large', {}, `[${'1,'.repeat(300_000)}1]`],
    ['5 MiB', 429, 'resource_exhausted', 'max_message_bytes', {}, ' '.repeat(5 * 1024 * 1024)],
    [
      'a bomb',
      429,
      'resource_exhausted',
      'max_message_bytes',
      { 'content-encoding': 'gzip' },
      gzipSync(Buffer.alloc(2 ** 26)),
    ],
    ['broken gzip', 400, 'invalid_argument', 'not valid gzip', { 'content-encoding': 'gzip' }, 'nothing'],
    [
      'an unknown compression',
      501,
      'unimplemented',
      'supported are gzip, br, deflate',
      { 'content-encoding': 'snappy' },
      '{}',
    ],
    [
      'another version',
      400,
      'invalid_argument',
      'must be \\"1\\", got \\"2\\"',
      { 'connect-protocol-version': '2' },
      '{}',
    ],
    [
      'a bad time-out',
      400,
      'invalid_argument',
      '1 to 10 digits, got \\"soon\\"',
      { 'connect-timeout-ms': 'soon' },
      '{}',
    ],
    [
      'no protobuf',
      400,
      'invalid_argument',
      'ends too early',
      { 'content-type': 'application/proto' },
      '\x08',
    ],
    [
      'another content type',
      415,
      'unknown',
      'takes no content type \\"text/xml\\"',
      { 'content-type': 'text/xml' },
      '<a/>',
    ],
    [
      'the content type of streams',
      415,
      'unknown',
      'application/json',
      { 'content-type': 'application/connect+json' },
    ],
  ])('answers %s with its error', async (_name, status, code, text, headers, body = '') => {
    const running = await start();
    const got = await ask(running, { ...JSON_TYPE, ...headers }, body);
    expect([got.status, json(got)]).toEqual([status, { code, message: expect.any(String) }]);
    expect(got.body.toString()).toContain(text);
    await isWell(running);
  });

  it.each<[string, string, string, Record<string, string>, Buffer]>([
    ['half a message', 'invalid_argument', 'ends within a message', {}, envelope(0, '{}', 9)],
    ['4 GB', 'resource_exhausted', 'of 4294967295 bytes', {}, envelope(0, '{}', 0xffffffff)],
    ['strange flags', 'invalid_argument', 'the flags 8', {}, envelope(8, '{}')],
    [
      'compression that was not announced',
      'internal',
      'connect-content-encoding',
      {},
      envelope(1, gzipSync('{}')),
    ],
    [
      'a bomb',
      'resource_exhausted',
      'unpacked',
      { 'connect-content-encoding': 'gzip' },
      envelope(1, gzipSync(Buffer.alloc(2 ** 26))),
    ],
    [
      'an unknown compression',
      'unimplemented',
      'snappy',
      { 'connect-content-encoding': 'snappy' },
      envelope(0, '{}'),
    ],
    [
      'two messages',
      'invalid_argument',
      'takes one request message, got more',
      {},
      Buffer.concat([envelope(0, '{}'), envelope(0, '{}')]),
    ],
    ['no message', 'invalid_argument', 'takes one request message, got none', {}, Buffer.alloc(0)],
    ['no JSON', 'invalid_argument', 'is no JSON', {}, envelope(0, 'x')],
  ])('ends a stream for %s', async (_name, code, text, headers, body) => {
    const running = await start();
    const type = { 'content-type': 'application/connect+json', ...headers };
    const got = await ask(running, type, body, '/acme.Users/Watch');
    const parts = partsOf(got.body);
    expect([got.status, parts.length, parts[0]?.[0]]).toEqual([200, 1, 2]);
    expect(JSON.parse(parts[0]?.[1] ?? '')).toEqual({
      error: { code, message: expect.stringContaining(text) },
    });
    await isWell(running);
  });

  it('compresses answers for those who take them so', async () => {
    const running = await start();
    const body = JSON.stringify({ name: 'x'.repeat(5000) });
    const got = await ask(running, { ...JSON_TYPE, 'accept-encoding': 'br, gzip' }, body);
    expect(got.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(got.body).toString())).toMatchObject({ name: 'x'.repeat(5000) });
    const plain = await ask(running, { ...JSON_TYPE, 'accept-encoding': 'gzip;q=0' }, body);
    expect([plain.headers['content-encoding'], plain.body.length > 5000]).toEqual([undefined, true]);
  });

  it('answers methods without a schema, as text and as streams', async () => {
    const running = await startHost({}, { schema: false });
    running.host.kind('grpc').mocks.create({ method: 'a.B/C', response: { text: '{{request.body.n}}' } });
    running.host
      .kind('grpc')
      .mocks.create({ method: 'a.B/S', stream: [{ response: { n: 1 } }, { response: { n: 2 } }] });
    expect(json(await ask(running, JSON_TYPE, '{"n":"x"}', '/a.B/C'))).toEqual({ text: 'x' });
    const stream = await ask(
      running,
      { 'content-type': 'application/connect+json' },
      envelope(0, '{}'),
      '/a.B/S',
    );
    expect(partsOf(stream.body)).toEqual([
      [0, '{"n":1}'],
      [0, '{"n":2}'],
      [2, '{}'],
    ]);
    const wrong = await ask(running, JSON_TYPE, '{}', '/a.B/S');
    expect([wrong.status, wrong.body.toString()]).toEqual([
      501,
      expect.stringContaining('application/connect+json'),
    ]);
  });
});

describe.each(VERSIONS)('gRPC-Web by %s', (_, ask) => {
  it('is answered as base64 where it is asked so', async () => {
    const running = await start();
    const message = envelope(0, Buffer.from('1203416461', 'hex')).toString('base64');
    const body = envelope(0, '').toString('base64');
    for (const [headers, sent] of [
      [{ 'content-type': 'application/grpc-web-text', accept: 'application/grpc-web-text' }, message],
      [{ 'content-type': 'application/grpc-web-text+proto' }, message],
    ] as const) {
      const got = await ask(running, headers, sent);
      expect([got.status, got.headers['content-type']]).toEqual([200, 'application/grpc-web-text+proto']);
      const parts = got.body.toString().split(/(?<==)(?!=)/);
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
      expect(partsOf(bytes)).toMatchObject([
        [0, expect.stringContaining('Ada')],
        [0x80, 'grpc-status: 0\r\n'],
      ]);
    }
    const binary = { 'content-type': 'application/grpc-web-text', accept: 'application/grpc-web+proto' };
    expect((await ask(running, binary, body)).headers['content-type']).toBe('application/grpc-web+proto');
  });

  it.each<[string, number, string, string, string | Buffer]>([
    ['half a message', 13, 'ends within a message', '', envelope(0, 'abc', 9)],
    ['no protobuf', 13, 'ends too early', '', envelope(0, '\x08')],
    ['no base64', 13, 'no base64', '-text', '####'],
    ['half a group of base64', 13, 'group of base64', '-text', `${envelope(0, '').toString('base64')}AA`],
    ['trailers', 13, 'the flags 128', '', envelope(0x80, 'a: b')],
    ['5 MiB', 8, 'max_message_bytes', '', envelope(0, Buffer.alloc(5 * 1024 * 1024))],
  ])('ends a call for %s', async (_name, status, text, suffix, body) => {
    const running = await start();
    const headers = { 'content-type': `application/grpc-web${suffix}`, accept: 'application/grpc-web' };
    const got = await ask(running, headers, body);
    const [part] = partsOf(got.body);
    expect(part).toEqual([0x80, expect.stringContaining(`grpc-status: ${status}\r\ngrpc-message: `)]);
    expect(part?.[1]).toContain(text);
    await isWell(running);
  });

  it.each([
    ['grpc-timeout', 'soon', 13],
    ['grpc-encoding', 'snappy', 12],
  ])('refuses a %s of %s', async (name, value, status) => {
    const running = await start();
    const got = await ask(
      running,
      { 'content-type': 'application/grpc-web', [name]: value },
      envelope(0, ''),
    );
    expect(got.body.toString()).toContain(`grpc-status: ${status}\r\n`);
  });
});

describe.each(VERSIONS)('pages of other origins by %s', (_, ask) => {
  const origin = { origin: 'https://page.test' };
  const asking = {
    ...origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'connect-protocol-version,content-type,x-grpc-web',
  };

  it('may call where that is configured', async () => {
    const running = await start({ cors: true });
    const preflight = await ask(running, asking, '', GET, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://page.test',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'connect-protocol-version,content-type,x-grpc-web',
    });
    for (const [type, body] of [
      ['application/json', '{}'],
      ['application/json', '{"id":404}'],
      ['application/grpc-web', envelope(0, '')],
      ['text/xml', ''],
    ] as const) {
      const got = await ask(running, { ...origin, 'content-type': type }, body);
      expect(got.headers).toMatchObject({
        'access-control-allow-origin': 'https://page.test',
        'access-control-expose-headers': '*',
      });
    }
  });

  it('may not where it is not', async () => {
    const running = await start();
    expect((await ask(running, asking, '', GET, 'OPTIONS')).status).toBe(405);
    const got = await ask(running, { ...origin, ...JSON_TYPE }, '{}');
    expect([got.status, got.headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });
});

describe('clients that do not behave', () => {
  it('are cut when they do not read, and hold nobody up when they leave in the middle', async () => {
    const running = await start();
    running.add({ id: 'open', method: 'Watch', priority: 1, keep_open: true });
    const body = envelope(0, '{}');
    const head = `POST /acme.Users/Watch HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const socket = net.connect(running.port, '127.0.0.1');
    later(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(Buffer.concat([Buffer.from(head), body]));
    await eventually(() => running.host.streams.list().length === 1);
    for (let pushed = 0; pushed < 1000 && running.host.streams.list().length === 1; pushed += 1) {
      running.host.streams.push({ protocol: 'grpc', mock_id: 'open' }, { name: 'x'.repeat(100_000) });
      if (pushed % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(running.host.streams.list()).toEqual([]);
    for (const cut of [1, 3, 30, head.length + 2]) {
      const leaving = net.connect(running.port, '127.0.0.1');
      leaving.on('error', () => undefined);
      await new Promise<void>((resolve) => leaving.write(`${head}\0\0`.slice(0, cut), () => resolve()));
      leaving.destroy();
    }
    socket.destroy();
    await isWell(running);
    await eventually(() => running.host.kind('grpc').status()['connections'] === 1);
  });

  it('may send byte by byte, and many calls at once', async () => {
    const running = await start();
    const body = '{"name":"slow"}';
    const text = `POST ${GET} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const socket = net.connect(running.port, '127.0.0.1');
    later(() => socket.destroy());
    let got = '';
    socket.setNoDelay(true).on('data', (chunk: Buffer) => (got += chunk.toString()));
    for (const byte of text)
      await new Promise<void>((resolve) => socket.write(byte, () => setImmediate(resolve)));
    await eventually(() => got.includes('"slow"'));
    socket.write(text.repeat(100));
    await eventually(() => got.split('"slow"').length === 102);
  });
});
