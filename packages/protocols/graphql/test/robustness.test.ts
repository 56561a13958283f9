import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { playSession, xorshift32, type SeededNumbers } from '@backlot/conformance';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { DocumentCache } from '../src/document/document-cache.js';
import { readDocument } from '../src/document/read-document.js';
import { post, startGraphql, stopAll, type GraphqlHost } from './support/graphql-host.js';
import { closeSockets, openSocket } from './support/raw-socket.js';

let started: GraphqlHost;

beforeEach(async () => {
  started = await startGraphql([
    { operation_name: 'A', response: { a: 1 } },
    { operation_type: 'subscription', operation_name: 'Ticks', stream: [{ data: '{"data":{"tick":1}}' }] },
  ]);
});

afterEach(async () => {
  closeSockets();
  await stopAll();
});

/** A real client is answered, and nothing has gone wrong in the meantime. */
async function checkWell(): Promise<void> {
  expect((await post(started.url, { query: 'query A { a }' })).text).toBe('{"data":{"a":1}}');
  const client = createClient({ url: started.socketUrl, webSocketImpl: WebSocket });
  const ticks = client.iterate({ query: 'subscription Ticks { tick }' });
  expect((await ticks.next()).value).toEqual({ data: { tick: 1 } });
  await client.dispose();
  expect(started.lines).toEqual([]);
}

/** What comes back for a session, one character per byte. */
async function converse(bytes: Uint8Array): Promise<string> {
  return (await playSession(started.port, bytes)).toString('latin1');
}

describe('a document', () => {
  it.each([
    ['of 100,000 braces', '{a'.repeat(100_000), 'nested deeper than 200 levels'],
    ['of 100,000 brackets', `{a(b:${'['.repeat(100_000)}`, 'nested deeper than 200 levels'],
    ['of 100,000 list types', `query A($a:${'['.repeat(100_000)}`, 'nested deeper than 200 levels'],
    ['of 201 levels', `${'{a'.repeat(201)}${'}'.repeat(201)}`, 'nested deeper than 200 levels'],
    ['of 100,000 fields', `{${'a '.repeat(100_000)}}`, 'tokens'],
    ['of a million fields', `{${'a '.repeat(1_000_000)}}`, 'longer than 262144 characters'],
    ['of a long comment', `#${'x'.repeat(300_000)}\n{ a }`, 'longer than 262144 characters'],
    ['with a long text', `{ a(b: """${'\n'.repeat(300_000)}""") }`, 'longer than 262144 characters'],
    ['of many directives', `{ a ${'@d '.repeat(20_000)} }`, 'tokens'],
    ['of many lists side by side', `{${'a(b:[])'.repeat(10_000)}}`, 'tokens'],
    ['without an end', '{', 'Syntax Error'],
    ['with a text without an end', '{ a(b: "', 'Syntax Error'],
    ['with a NUL', '{ a\u0000 }', 'Syntax Error'],
    ['of half a surrogate pair', '{ \ud800 }', 'Syntax Error'],
  ])('%s is an error', async (_name, query, message) => {
    const answer = await post(started.url, { query });
    expect(answer.status).toBe(200);
    expect(answer.json.errors?.[0]?.message).toMatch(message);
    const socket = await openSocket(started.socketUrl);
    socket.send({ id: '1', type: 'subscribe', payload: { query } });
    expect(await socket.next()).toMatchObject({
      type: 'error',
      payload: [{ message: expect.stringMatching(message) }],
    });
    await checkWell();
  });

  it.each([
    ['of 200 levels', `query A ${'{a'.repeat(200)}${'}'.repeat(200)}`],
    ['with many brackets in texts', `query A { a(b: "${'{['.repeat(5000)}") }`],
    ['with 5,000 fields', `query A { ${'a { b } '.repeat(2500)} }`],
    [
      'with fragments that hold each other',
      'query A { ...F } fragment F on T { ...G } fragment G on T { ...F }',
    ],
  ])('%s is answered', async (_name, query) => {
    expect((await post(started.url, { query })).text).toBe('{"data":{"a":1}}');
  });

  it('looks at so many selections of its fragments, however often they are spread', () => {
    const chain = Array.from({ length: 500 }, (_, n) => `fragment f${n} on Q { ...f${n + 1} }`).join(' ');
    const end = 'fragment f500 on Q { __typename }';
    const few = readDocument(`{ ...f0 } ${chain} ${end}`);
    expect(few.operations[0]?.metaFields).toHaveLength(1);
    const many = readDocument(`${'{ ...f0 }'.repeat(1000)} ${chain} ${end}`);
    const looked = many.operations.filter(({ metaFields }) => metaFields !== undefined);
    expect(looked.length).toBeGreaterThan(10);
    expect(looked.length).toBeLessThan(20);
  });

  it('with huge variables is refused', async () => {
    const variables = { list: Array.from({ length: 400_000 }, () => 123) };
    const answer = await post(started.url, { query: 'query A { a }', variables });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('more than 250,000 values');
    const fits = { list: ['x'.repeat(2_000_000)] };
    expect((await post(started.url, { query: 'query A { a }', variables: fits })).text).toBe(
      '{"data":{"a":1}}',
    );
  });

  it('is kept for the next time, within limits', () => {
    const documents = new DocumentCache(readDocument);
    const first = documents.read('{ a }');
    expect(documents.read('{ a }')).toBe(first);
    for (let n = 0; n < 3000; n += 1) documents.read(`{ a${n} }`);
    expect(documents.count).toBe(1000);
    expect(documents.read('{ a }')).not.toBe(first);
    for (let n = 0; n < 200; n += 1) documents.read(`{ b${n} } # ${'x'.repeat(60_000)}`);
    expect(documents.count).toBeLessThan(80);
    documents.read(`{ c } # ${'x'.repeat(70_000)}`);
    expect(documents.count).toBeLessThan(80);
  });
});

describe('bytes', () => {
  it.each([
    ['nothing', '', /^$/],
    ['garbage', '\u0000\u0001\u0002garbage\r\n\r\n', /^HTTP\/1.1 400 /],
    ['half a request line', 'POST /gra', /^HTTP\/1.1 400 /],
    [
      'a body that is cut off',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      /^HTTP\/1.1 400 |^$/,
    ],
    [
      'a length that lies',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{}',
      /^HTTP\/1.1 413 /,
    ],
    [
      'two lengths',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      /^HTTP\/1.1 400 /,
    ],
    [
      'length and chunks',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1.1 400 /,
    ],
    ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', /^HTTP\/1.1 501 /],
    [
      'headers that are too large',
      `GET /graphql HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 /,
    ],
    [
      'an upgrade to something else',
      'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
      /^HTTP\/1.1 426 /,
    ],
    [
      'an upgrade without a key',
      'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      /^HTTP\/1.1 400 /,
    ],
    [
      'an upgrade by POST',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      /^HTTP\/1.1 405 /,
    ],
  ])('such as %s get what HTTP has for them', async (_name, text, answer) => {
    expect(await converse(Buffer.from(text, 'latin1'))).toMatch(answer);
    await checkWell();
  });

  it('of a frame that is not masked, or whose length lies, close the socket', async () => {
    const upgrade = WEBSOCKET.subarray(0, WEBSOCKET.indexOf('\r\n\r\n') + 4);
    const frames: [number[], number][] = [
      [[0x81, 0x01, 0x61], 1002],
      [[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], 1009],
      [[0xf1, 0x80, 0, 0, 0, 0], 1002],
      [[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff], 1007],
    ];
    for (const [bytes, code] of frames) {
      const received = Buffer.from(await converse(Buffer.concat([upgrade, Buffer.from(bytes)])), 'latin1');
      const close = received.subarray(received.indexOf('\r\n\r\n') + 4);
      expect([close[0], close.readUInt16BE(2)]).toEqual([0x88, code]);
    }
    await checkWell();
  });
});

it('10,000 mutations of good sessions do no harm', async () => {
  const below = xorshift32(20_261_120);
  const sessions = Array.from({ length: 10_000 }, (_, index) =>
    mutate(index % 5 < 3 ? HTTP : WEBSOCKET, below),
  );
  let answered = 0;
  const work = async (): Promise<void> => {
    for (let session = sessions.pop(); session !== undefined; session = sessions.pop()) {
      const received = await converse(session);
      if (received === '') continue;
      answered += 1;
      expect(received).toMatch(/^HTTP\/1\.1 (101|200|400|404|405|408|413|415|426|431|501) /);
    }
  };
  await Promise.all(Array.from({ length: 50 }, work));
  expect(answered).toBeGreaterThan(5000);
  expect(started.host.kind('graphql').status()).toMatchObject({ state: 'running' });
  await checkWell();
}, 60_000);

/** What fetch has sent for a query. */
const HTTP = Buffer.from(
  'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1:42605\r\nconnection: keep-alive\r\ncontent-type: application/json\r\n' +
    'accept: */*\r\naccept-language: *\r\nsec-fetch-mode: cors\r\nuser-agent: node\r\naccept-encoding: gzip, deflate\r\n' +
    'content-length: 86\r\n\r\n' +
    '{"query":"query A($id: ID) { a(id: $id) }","variables":{"id":"7"},"operationName":"A"}',
);

/** What the client of graphql-ws has sent for a subscription that it completes. */
const WEBSOCKET = Buffer.concat([
  Buffer.from(
    'GET /graphql HTTP/1.1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: 4yfqYwZ1tQBVVOXHurC/sA==\r\n' +
      'Connection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n' +
      'Sec-WebSocket-Protocol: graphql-transport-ws\r\nHost: 127.0.0.1:42605\r\n\r\n',
  ),
  Buffer.from(
    '819a9842074ee3607337e8272574ba216820f627643af12d6911f12c6e3aba3f81f2b2102f94c93246f0902a0df080251cf7d0224ab9' +
      'd6291da69f241ea5843d17f6837202f2842218a5d72318f0d77516b69e325bedc2750dae90635af6c1735dfdd0750db890604eedde7f' +
      '4ef0902a54b6c3654ae6cb3215b6c1654de7d16246e4c67940fa924446f7d9630fef926446f7d93052b6cf6d81bfbf981e09c4ba776d' +
      '9da23c6d8dad2d6addaa7b24dba12c3b92ac2f3889b5266b8efa336f89aa2938daab296ddafd272b93ba6a70cffd3c339dfb7164cff4' +
      '7b7ddaba6388900efdd0950d159efa7c90b1f92ebebcfa7d88a2f0',
    'hex',
  ),
]);

/** Changes, takes out, doubles or cuts off some of the bytes. */
function mutate(session: Buffer, below: SeededNumbers): Buffer {
  let bytes = Buffer.from(session);
  for (let count = 1 + below(4); count > 0 && bytes.length > 0; count -= 1) {
    const at = below(bytes.length);
    const length = 1 + below(8);
    const kind = below(5);
    if (kind < 2) bytes[at] = below(256);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    else if (kind === 3)
      bytes = Buffer.concat([
        bytes.subarray(0, at + length),
        bytes.subarray(at, at + length),
        bytes.subarray(at + length),
      ]);
    else bytes = bytes.subarray(0, at);
  }
  return bytes;
}
