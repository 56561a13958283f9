import { createHash } from 'node:crypto';
import http2 from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, problemsOf, runTool } from '@backlot/conformance';
import { RawClient, startHttp, stopAll, type HttpHost } from './support/http-host.js';

afterEach(stopAll);

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

const start = (response: object, more: object = {}): Promise<HttpHost> =>
  startHttp([{ id: 's', request: { path: '/' }, response, ...more }]);

const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

/** Moves time on, and gives what has come by then. */
async function after(
  { host }: HttpHost,
  client: RawClient,
  milliseconds: number,
  size: number,
): Promise<string> {
  await host.clock.advance(milliseconds);
  return bodyOf(await client.until((text) => text.includes('\r\n\r\n') && bodyOf(text).length >= size));
}

describe('chunks', () => {
  it('send the body in pieces, evenly, with its length announced', async () => {
    const server = await start({ body: '0123456789', chunks: { count: 4, over: '2h' } });
    server.host.clock.freeze(true);
    const client = new RawClient(server.port).send(GET);
    const head = await client.until((text) => text.includes('\r\n\r\n'));
    expect(head).toMatch(/\r\nContent-Length: 10\r\n/);
    expect(bodyOf(head)).toBe('');
    expect(server.host.journal.list()).toEqual([expect.objectContaining({ matched_id: 's', status: 200 })]);
    const hour = 3_600_000;
    expect(await after(server, client, hour / 2, 2)).toBe('01');
    expect(await after(server, client, hour / 2, 5)).toBe('01234');
    expect(await after(server, client, hour / 2 - 1, 5)).toBe('01234');
    expect(await after(server, client, 1, 7)).toBe('0123456');
    expect(await after(server, client, hour / 2, 10)).toBe('0123456789');
    expect(server.host.journal.list()[0]).toMatchObject({ response: { body: '0123456789' } });
    // The connection goes on.
    client.send('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.until((text) => text.includes('HTTP/1.1 404'));
    client.destroy();
  });

  it('are no more than the body has bytes, and take their time then too', async () => {
    const server = await start({ body: 'abc', chunks: { count: 1000, over: '3s' } });
    server.host.clock.freeze(true);
    const client = new RawClient(server.port).send(GET);
    await client.until((text) => text.includes('\r\n\r\n'));
    expect(await after(server, client, 1000, 1)).toBe('a');
    expect(await after(server, client, 1999, 2)).toBe('ab');
    expect(await after(server, client, 1, 3)).toBe('abc');
    client.destroy();
  });

  it('hold up nobody else, and end when the client leaves', async () => {
    const server = await start({ body: 'abc', chunks: { count: 3, over: '3h' } });
    server.host.clock.freeze(true);
    const client = new RawClient(server.port).send(GET);
    await client.until((text) => text.includes('\r\n\r\n'));
    expect((await fetch(`${server.url}/other`)).status).toBe(404);
    client.destroy();
    await eventually(() => server.host.journal.list().some((entry) => 'aborted' in entry));
    await server.host.clock.advance(10_800_000);
    expect(server.host.journal.list()[0]).toMatchObject({ matched_id: 's', aborted: true });
  });

  it('are those of an entry of a sequence in place of the speed of the response', async () => {
    const server = await startHttp([
      {
        id: 's',
        request: { path: '/' },
        response: { body: 'ab', bytes_per_second: 1 },
        sequence: [{ chunks: { count: 1, over: '1h' } }, {}],
      },
    ]);
    server.host.clock.freeze(true);
    for (const wait of [3_600_000, 2000]) {
      const answer = fetch(server.url).then((given) => given.text());
      await eventually(() => server.host.journal.list().length === (wait === 2000 ? 2 : 1));
      await server.host.clock.advance(wait);
      expect(await answer).toBe('ab');
    }
  });
});

describe('bytes_per_second', () => {
  it('sends a tenth of them each tenth of a second', async () => {
    const server = await start({ body: 'x'.repeat(25), bytes_per_second: 100 });
    server.host.clock.freeze(true);
    const client = new RawClient(server.port).send(GET);
    await client.until((text) => text.includes('\r\n\r\n'));
    expect((await after(server, client, 100, 10)).length).toBe(10);
    expect((await after(server, client, 100, 20)).length).toBe(20);
    expect((await after(server, client, 49, 20)).length).toBe(20);
    expect((await after(server, client, 1, 25)).length).toBe(25);
    client.destroy();
  });

  it('works with compress, ranges, json and bytes', async () => {
    const json = { text: 'y'.repeat(500) };
    const server = await startHttp([
      {
        id: 'j',
        request: { path: '/j' },
        response: { json, compress: true, ranges: true, bytes_per_second: 100_000 },
      },
      {
        id: 'b',
        request: { path: '/b' },
        response: { body_base64: '/wABAg==', chunks: { count: 4, over: '10ms' } },
      },
    ]);
    const zipped = await fetch(`${server.url}/j`, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(await zipped.json()).toEqual(json);
    const raw = await new RawClient(server.port).send(
      'GET /j HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n',
    ).closed;
    const length = Number(/Content-Length: (\d+)/.exec(raw)?.[1]);
    const bytes = Buffer.from(bodyOf(raw), 'latin1');
    expect(bytes.length).toBe(length);
    expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(json);
    const part = await fetch(`${server.url}/j`, { headers: { Range: 'bytes=2-5' } });
    expect([part.status, part.headers.get('content-length'), await part.text()]).toEqual([206, '4', 'text']);
    expect(Buffer.from(await (await fetch(`${server.url}/b`)).arrayBuffer())).toEqual(
      Buffer.from([0xff, 0, 1, 2]),
    );
    const head = await fetch(`${server.url}/b`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '4']);
    expect(server.host.journal.list().filter((entry) => entry.matched_id === 'j')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          response: expect.objectContaining({ body: JSON.stringify(json) }) as unknown,
        }),
      ]),
    );
  });

  it('waits for a client that does not read', async () => {
    const size = 32 * 1024 * 1024;
    const body = 'x'.repeat(size);
    const server = await start({ body, chunks: { count: 512, over: '1s' } });
    server.host.clock.freeze(true);
    const client = new RawClient(server.port);
    client.socket.pause();
    const hash = createHash('sha256');
    let received = 0;
    client.socket.removeAllListeners('data');
    client.send(GET);
    await eventually(() => server.host.journal.list().length === 1);
    await server.host.clock.advance(60_000);
    expect(server.host.journal.list()[0]).not.toHaveProperty('response.body');
    const done = new Promise<void>((resolve) => {
      let skipped: string | undefined = '';
      client.socket.on('data', (text: string) => {
        let piece = text;
        if (skipped !== undefined) {
          skipped += text;
          if (!skipped.includes('\r\n\r\n')) return;
          piece = bodyOf(skipped);
          skipped = undefined;
        }
        received += piece.length;
        hash.update(piece, 'latin1');
        if (received === size) resolve();
      });
    });
    client.socket.resume();
    let isDone = false;
    void done.then(() => (isDone = true));
    while (!isDone) {
      await server.host.clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
    client.destroy();
  });

  it('works over HTTP/2', async () => {
    const server = await start({ body: 'over http/2', chunks: { count: 3, over: '30ms' } });
    const session = http2.connect(server.url);
    const stream = session.request({ ':path': '/' });
    const sizes: number[] = [];
    stream.on('data', (piece: Buffer) => sizes.push(piece.length));
    await new Promise((resolve) => stream.on('end', resolve).end());
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(11);
    expect(sizes.length).toBeGreaterThan(1);
    session.destroy();
  });

  itWithTool('curl', 'is what curl sees', async () => {
    const { url } = await start({ body: 'z'.repeat(30), bytes_per_second: 100 });
    const { out } = await runTool('curl', ['-sS', '-w', ' %{size_download} %{http_code}', url]);
    expect(out).toBe(`${'z'.repeat(30)} 30 200`);
  });
});

describe('a slow answer', () => {
  it('is checked when the mock is made', async () => {
    const { host } = await startHttp();
    const { mocks } = host.kind('http');
    const create = (response: object, more: object = {}): string[] =>
      problemsOf(() => mocks.create({ request: { path: '/' }, response, ...more }));
    expect(create({ chunks: { count: 0, over: '1s' } })).toEqual([
      expect.stringMatching(/^\/response\/chunks\/count /),
    ]);
    expect(create({ chunks: { count: 2, over: 'x' } })).toEqual([
      expect.stringMatching(/^\/response\/chunks\/over "x" is not a duration/),
    ]);
    expect(create({ chunks: { count: 2, over: '1s' }, bytes_per_second: 3 })).toEqual([
      '/response/bytes_per_second cannot stand beside chunks; give one of the two',
    ]);
    expect(create({ bytes_per_second: 3 }, { stream: { events: [] } })).toEqual([
      expect.stringMatching(/^\/response\/bytes_per_second a stream has no whole body/),
    ]);
    expect(create({ bytes_per_second: 3, broken: 'empty' })).toEqual([
      expect.stringMatching(/^\/response\/broken empty sends no body/),
    ]);
  });
});
