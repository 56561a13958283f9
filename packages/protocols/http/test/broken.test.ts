import http2 from 'node:http2';
import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, problemsOf, runTool } from '@backlot/conformance';
import { RawClient, startHttp, stopAll, type HttpHost } from './support/http-host.js';

afterEach(stopAll);

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const BODY = '0123456789';

const start = (broken: string, more: object = {}): Promise<HttpHost> =>
  startHttp([{ id: 'b', request: { path: '/' }, response: { body: BODY, broken, ...more } }]);

/** What a client gets, and how its connection ends. */
async function ask({ port }: HttpHost): Promise<{ text: string; code: string | undefined }> {
  const client = new RawClient(port).send(GET);
  const text = await client.closed;
  return { text, code: client.failure?.code };
}

/** What a fetch fails with. */
async function failure(url: string): Promise<string> {
  try {
    await (await fetch(url)).text();
    return '';
  } catch (thrown) {
    const { cause } = thrown as { cause?: { code?: string } };
    return cause?.code ?? String(thrown);
  }
}

describe('a broken answer of a mock', () => {
  it('is empty', async () => {
    const server = await start('empty');
    expect(await ask(server)).toEqual({ text: '', code: undefined });
    expect(await failure(server.url)).toBe('UND_ERR_SOCKET');
    const [entry] = server.host.journal.list();
    expect(entry).toMatchObject({ matched_id: 'b' });
    expect(entry).not.toHaveProperty('status');
  });

  it('is a reset', async () => {
    const server = await start('reset');
    expect(await ask(server)).toEqual({ text: '', code: 'ECONNRESET' });
    expect(await failure(server.url)).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
  });

  it('is garbage, the same for the same seed', async () => {
    const texts: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const server = await start('garbage');
      for (let call = 0; call < 2; call += 1) {
        const { text, code } = await ask(server);
        expect([text.length, code]).toEqual([256, undefined]);
        texts.push(text);
      }
      expect(await failure(server.url)).toBe('HPE_INVALID_CONSTANT');
    }
    expect(texts.slice(2)).toEqual(texts.slice(0, 2));
    expect(texts[0]).not.toBe(texts[1]);
  });

  it('is truncated: it announces all and sends half', async () => {
    const server = await start('truncated');
    const { text } = await ask(server);
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*Content-Length: 10\r\n[\s\S]*\r\n\r\n01234$/);
    expect(await failure(server.url)).toBe('UND_ERR_SOCKET');
    expect(server.host.journal.list()[0]).toMatchObject({ status: 200, response: { body: BODY } });
  });

  it('is truncated slowly, and waits for its delay', async () => {
    const server = await start('truncated', { delay: '1h', chunks: { count: 10, over: '10s' } });
    server.host.clock.freeze(true);
    const client = new RawClient(server.port).send(GET);
    await server.host.kind('http').calls.wait('b', 1, 60_000);
    await server.host.clock.advance(3_600_000);
    await client.until((text) => text.endsWith('\r\n\r\n'));
    await server.host.clock.advance(4_999);
    await client.until((text) => text.endsWith('\r\n\r\n0123'));
    await server.host.clock.advance(1);
    expect(await client.closed).toMatch(/\r\n\r\n01234$/);
  });

  it('may be one of a sequence', async () => {
    const server = await startHttp([
      {
        id: 'b',
        request: { path: '/' },
        sequence: [{ broken: 'reset' }, { broken: 'empty' }, { body: 'ok' }],
      },
    ]);
    expect((await ask(server)).code).toBe('ECONNRESET');
    expect(await ask(server)).toEqual({ text: '', code: undefined });
    expect(await (await fetch(server.url)).text()).toBe('ok');
  });

  it('is checked when the mock is made', async () => {
    const { host } = await startHttp();
    const create = (mock: object): string[] =>
      problemsOf(() => host.kind('http').mocks.create({ request: { path: '/' }, ...mock }));
    expect(create({ response: { broken: 'chunked' } })).toEqual([
      '/response/broken must be one of "empty", "reset", "garbage", "truncated", got "chunked"',
    ]);
    expect(create({ response: { broken: 'truncated' } })).toEqual([
      '/response/broken there is no body that could be truncated; give one, or use "empty"',
    ]);
    expect(create({ response: { broken: 'reset' }, stream: { events: [] } })).toEqual([
      expect.stringMatching(/^\/response\/broken a stream has no whole body/),
    ]);
    expect(create({ fault: { broken: 'empty', abort: true } })).toEqual([
      '/fault/broken empty cannot stand beside abort, which is reset',
    ]);
    expect(create({ fault: { broken: 'reset', truncate_body: 3 } })).toEqual([
      '/fault/broken reset cannot stand beside truncate_body, which is truncated',
    ]);
  });
});

describe('a fault', () => {
  it.each([
    ['empty', '', undefined],
    ['reset', '', 'ECONNRESET'],
  ])('of the kind can be %s', async (broken, text, code) => {
    const server = await startHttp();
    server.host.faults.set('http', { broken });
    expect(await ask(server)).toEqual({ text, code });
    expect(server.host.journal.list()[0]).toMatchObject({ fault: true });
  });

  it('of the kind can be garbage, other bytes for each request', async () => {
    const server = await startHttp();
    server.host.faults.set('http', { broken: 'garbage' });
    const first = await ask(server);
    expect(first.text.length).toBe(256);
    expect((await ask(server)).text).not.toBe(first.text);
  });

  it('of the kind can be truncated: the answer of the mock, or its own', async () => {
    const server = await startHttp([{ id: 'm', request: { path: '/' }, response: { body: BODY } }]);
    server.host.faults.set('http', { broken: 'truncated' });
    expect((await ask(server)).text).toMatch(/ 200 [\s\S]*Content-Length: 10\r\n[\s\S]*\r\n\r\n01234$/);
    server.host.faults.set('http', { broken: 'truncated', truncate_body: 2 });
    expect((await ask(server)).text).toMatch(/Content-Length: 10\r\n[\s\S]*\r\n\r\n01$/);
    server.host.faults.set('http', { broken: 'truncated', status: 500, body: 'oops' });
    expect((await ask(server)).text).toMatch(/ 500 [\s\S]*Content-Length: 4\r\n[\s\S]*\r\n\r\noo$/);
    expect(problemsOf(() => server.host.faults.set('http', { broken: 'empty', abort: true }))).toEqual([
      '/broken empty cannot stand beside abort, which is reset',
    ]);
  });

  it('of one mock can be broken at its rate', async () => {
    const server = await startHttp([
      {
        id: 'm',
        request: { path: '/' },
        fault: { broken: 'empty', error_rate: 0.5 },
        response: { body: 'x' },
      },
    ]);
    const answers = new Set<string>();
    for (let call = 0; call < 40; call += 1) answers.add(await failure(server.url));
    expect(answers).toEqual(new Set(['', 'UND_ERR_SOCKET']));
  });
});

describe('over HTTP/2', () => {
  const outcome = async (broken: string) => {
    const server = await start(broken);
    const session = http2.connect(server.url);
    const seen: { goaway?: number; debug?: number; rst?: number; body: string } = { body: '' };
    session.on('error', () => undefined);
    session.on('goaway', (code, _last, data: Buffer | undefined) => {
      seen.goaway = code;
      if (data !== undefined && data.length > 0) seen.debug = data.length;
    });
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    stream.on('data', (piece: Buffer) => (seen.body += piece.toString()));
    await new Promise((resolve) => stream.on('close', resolve).end());
    seen.rst = stream.rstCode;
    const isOpen = !session.destroyed && !session.closed;
    session.destroy();
    return { ...seen, isOpen };
  };

  it('reset and truncated end the stream by RST_STREAM, and the connection goes on', async () => {
    const { NGHTTP2_INTERNAL_ERROR: internal } = http2.constants;
    expect(await outcome('reset')).toEqual({ body: '', rst: internal, isOpen: true });
    expect(await outcome('truncated')).toEqual({ body: '01234', rst: internal, isOpen: true });
  });

  it('empty and garbage end the connection by GOAWAY', async () => {
    expect(await outcome('empty')).toMatchObject({ body: '', goaway: 0 });
    expect(await outcome('garbage')).toMatchObject({
      body: '',
      goaway: http2.constants.NGHTTP2_PROTOCOL_ERROR,
      debug: 256,
    });
  });
});

describe('curl', () => {
  itWithTool('curl', 'names what it sees', async () => {
    const codes: [string, number | null][] = [];
    for (const broken of ['empty', 'reset', 'garbage', 'truncated']) {
      const { url } = await start(broken);
      codes.push([broken, (await runTool('curl', ['-sS', '--http1.1', url])).code]);
    }
    expect(codes).toEqual([
      // An empty reply, a failure to receive, HTTP/0.9 that is not allowed, a partial file.
      ['empty', 52],
      ['reset', 56],
      ['garbage', 1],
      ['truncated', 18],
    ]);
  });
});
