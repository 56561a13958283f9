import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { problemsOf } from '@backlot/conformance';
import { startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const PNG = Buffer.from('89504e470d0a1a0a0000000dff', 'hex');

describe('JSON in an answer', () => {
  it('is rendered by value, with its content type', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/users/{id}' },
        response: {
          json: {
            id: '{{params.id}}',
            tags: '{{request.body.tags}}',
            missing: '{{request.body.none}}',
            n: 1,
            text: 'say "{{request.body.word}}"',
            none: null,
          },
        },
      },
      { id: 'b', request: { path: '/fixed' }, response: { json: ['a', { b: true }] } },
      { id: 'c', request: { path: '/null' }, response: { json: null } },
      {
        id: 'd',
        request: { path: '/typed' },
        response: { headers: { 'Content-Type': 'application/problem+json' }, json: '{{request.body}}' },
      },
    ]);
    const body = JSON.stringify({ tags: ['x', 2], word: 'a "b"' });
    const first = await fetch(`${server.url}/users/7`, { method: 'POST', body });
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(await first.json()).toEqual({
      id: '7',
      tags: ['x', 2],
      missing: '',
      n: 1,
      text: 'say "a "b""',
      none: null,
    });
    expect(await (await fetch(`${server.url}/fixed`)).text()).toBe('["a",{"b":true}]');
    expect(await (await fetch(`${server.url}/null`)).text()).toBe('null');
    const typed = await fetch(`${server.url}/typed`, { method: 'POST', body: '{"a":[1]}' });
    expect([typed.headers.get('content-type'), await typed.text()]).toEqual([
      'application/problem+json',
      '{"a":[1]}',
    ]);
  });

  it('stands in entries of a sequence in place of the content of the response', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: { body: 'first', status: 201 },
        sequence: [{}, { json: { n: 2 } }, { body_base64: PNG.toString('base64') }, { body: 'last' }],
      },
    ]);
    const answers: [number, string | null, number][] = [];
    for (let call = 0; call < 4; call += 1) {
      const answer = await fetch(server.url);
      answers.push([
        answer.status,
        answer.headers.get('content-type'),
        (await answer.arrayBuffer()).byteLength,
      ]);
    }
    expect(answers).toEqual([
      [201, 'text/plain; charset=utf-8', 5],
      [201, 'application/json', 7],
      [201, 'image/png', PNG.length],
      [201, 'text/plain; charset=utf-8', 4],
    ]);
  });

  it('refuses two forms of one answer, and an object in place of a text', async () => {
    const server = await startHttp([]);
    const mocks = server.host.kind('http').mocks;
    const tries = [
      { body: 'a', json: 1 },
      { json: 1, body_base64: 'AA==' },
      { body_base64: 'A' },
      { body: { a: 1 } },
      { body: { file: '/etc/passwd' } },
    ].map((response) => problemsOf(() => mocks.create({ request: { path: '/' }, response })));
    const asObject =
      'must be a string, got an object; a JSON value is given as "json", in place of this field';
    const twice = 'cannot stand together; each says what the answer carries, so leave one';
    expect(tries).toEqual([
      [`/response/json body and json ${twice}`],
      [`/response/body_base64 json and body_base64 ${twice}`],
      ['/response/body_base64 "A" is not base64; bytes 0 to 2 are "AAEC"'],
      [`/response/body ${asObject}`],
      [`/response/body ${asObject}`],
    ]);
  });

  it('is bounded where it holds the message many times', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: { json: Array.from({ length: 100 }, () => '{{request.body}}') },
      },
    ]);
    const body = JSON.stringify(['x'.repeat(100_000)]);
    const answer = await fetch(server.url, { method: 'POST', body });
    expect([answer.status, await answer.text()]).toEqual([
      500,
      '{"error":"the answer could not be made: the JSON of the answer is larger than 5 MiB; insert less of the message"}',
    ]);
    expect(server.lines).toHaveLength(1);
  });

  it('gives way to what PATCH and scenarios say', async () => {
    const server = await startHttp([{ id: 'a', request: { path: '/' }, response: { json: { n: 1 } } }]);
    const mocks = server.host.kind('http').mocks;
    const get = async (): Promise<string> => (await fetch(server.url)).text();
    mocks.patch('a', { body: 'text' });
    expect(await get()).toBe('text');
    mocks.patch('a', { json: null });
    expect(await get()).toBe('null');
    mocks.patch('a', { body_base64: 'aGk=' });
    expect(await get()).toBe('hi');
    server.host.scenarios.create({ id: 's', patches: [{ mock_id: 'a', body: 'scenario' }] });
    server.host.scenarios.activate('s');
    expect(await get()).toBe('scenario');
  });
});

describe('bytes', () => {
  it('go out as they are, and come back as they came', async () => {
    const server = await startHttp([
      { id: 'a', request: { path: '/png' }, response: { body_base64: PNG.toString('base64') } },
      { id: 'b', request: { path: '/echo' }, response: { body: '{{request.raw_body}}' } },
      {
        id: 'c',
        request: { path: '/sum' },
        response: { body: '{{base64 request.raw_body}} {{hash "sha256" request.raw_body}}' },
      },
    ]);
    const png = await fetch(`${server.url}/png`);
    expect([png.headers.get('content-type'), png.headers.get('content-length')]).toEqual([
      'image/png',
      String(PNG.length),
    ]);
    expect(Buffer.from(await png.arrayBuffer())).toEqual(PNG);
    const echo = await fetch(`${server.url}/echo`, { method: 'POST', body: PNG });
    expect(Buffer.from(await echo.arrayBuffer())).toEqual(PNG);
    expect(await (await fetch(`${server.url}/sum`, { method: 'POST', body: PNG })).text()).toBe(
      `${PNG.toString('base64')} ${createHash('sha256').update(PNG).digest('hex')}`,
    );
    const [entry] = server.host.journal.list({ matchedId: 'a' });
    expect(entry?.response).toMatchObject({ body: PNG.toString('base64'), body_encoding: 'base64' });
    const [echoed] = server.host.journal.list({ matchedId: 'b' });
    expect(echoed).toMatchObject({ body: PNG.toString('base64'), body_encoding: 'base64' });
  });

  it('stand in events of streams', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/chunks' },
        stream: { events: [{ data: 'a' }, { data_base64: '/wA=' }, { json: { n: 1 } }] },
      },
      {
        id: 'b',
        request: { path: '/sse' },
        stream: { events: [{ event: 'e', json: { path: '{{request.path}}', n: 1 } }] },
      },
    ]);
    const chunks = Buffer.from(await (await fetch(`${server.url}/chunks`)).arrayBuffer());
    expect(chunks.toString('latin1')).toBe('a\xff\0{"n":1}');
    expect(await (await fetch(`${server.url}/sse`)).text()).toBe('event: e\ndata: {"path":"/sse","n":1}\n\n');
    const [entry] = server.host.journal.list({ matchedId: 'a' });
    expect(entry?.response).toMatchObject({ body: chunks.toString('base64'), body_encoding: 'base64' });
  });
});

describe('JSON lines', () => {
  it('are a list, when the content type says so', async () => {
    const server = await startHttp([
      { id: 'm', request: { path: '/', body_json: { '1.id': '2' } }, response: { body: 'second is 2' } },
      {
        id: 'a',
        request: { path: '/' },
        response: { json: { all: '{{request.body}}', first: '{{request.body.0.id}}' } },
      },
    ]);
    const post = async (body: string, type = 'application/x-ndjson'): Promise<string> =>
      (await fetch(server.url, { method: 'POST', body, headers: { 'content-type': type } })).text();
    expect(await post('{"id":1}\r\n\n{"id":3}\n')).toBe('{"all":[{"id":1},{"id":3}],"first":1}');
    expect(await post('{"id":1}\n{"id":2}')).toBe('second is 2');
    expect(await post('{"id":1}\n{"id":', 'application/jsonl')).toBe(
      '{"all":"{\\"id\\":1}\\n{\\"id\\":","first":""}',
    );
    expect(await post('{"id":1}\n{"id":2}', 'application/json')).toContain('"first":""');
  });
});

describe('a function', () => {
  it('gives bytes in place of a text or of base64, and may go on with them', async () => {
    const own = Buffer.from(PNG);
    const server = await startHttp([
      { id: 'a', request: { path: '/body' }, respond: () => ({ status: 201, body: own }) },
      { id: 'b', request: { path: '/base64' }, respond: () => ({ body_base64: new Uint8Array(PNG) }) },
      {
        id: 'c',
        request: { path: '/sequence' },
        respond: async () => ({ sequence: [{ body: PNG.subarray(4) }, { body: 'text' }] }),
      },
      { id: 'd', request: { path: '/json' }, respond: () => ({ json: { picture: own } }) as never },
      { id: 'e', request: { path: '/both' }, respond: () => ({ body: own, body_base64: 'AAEC' }) },
    ]);
    const bytesOf = async (path: string): Promise<Buffer> =>
      Buffer.from(await (await fetch(server.url + path)).arrayBuffer());
    expect([await bytesOf('/body'), await bytesOf('/base64')]).toEqual([PNG, PNG]);
    own.fill(0);
    expect([await bytesOf('/body'), await bytesOf('/sequence')]).toEqual([
      Buffer.alloc(PNG.length),
      PNG.subarray(4),
    ]);
    for (const path of ['/json', '/both']) expect((await fetch(server.url + path)).status).toBe(500);
  });
});
