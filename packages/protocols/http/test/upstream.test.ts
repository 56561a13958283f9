import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool, startServer } from '@backlot/conformance';
import { startHttp, stopAll, type HttpHost } from './support/http-host.js';
import { ask, cleanUp, recordedBy, recorder, replay, serve, stopRealServers } from './support/real-server.js';

afterEach(async () => {
  await stopAll();
  await stopRealServers();
});

describe('an upstream of HTTP', () => {
  it('answers in the mode passthrough, and the journal has what passed', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const upstream = await serve((request, response) => {
      seen.push(request.headers);
      response.writeHead(201, { 'X-Real': 'yes', 'Set-Cookie': 'a=1; Domain=example.com; Path=/' });
      request.pipe(response);
    });
    const { url, host } = await recorder(`${upstream}/v1`, 'passthrough', [{ request: {}, response: {} }]);
    const answer = await fetch(`${url}/things?q=1`, {
      method: 'POST',
      body: 'hello',
      headers: { 'X-Mine': 'm' },
    });
    expect([answer.status, answer.headers.get('x-real'), await answer.text()]).toEqual([201, 'yes', 'hello']);
    expect(answer.headers.get('set-cookie')).toBe('a=1; Path=/');
    expect(seen).toEqual([
      expect.objectContaining({
        host: upstream.slice('http://'.length),
        'x-mine': 'm',
        'content-length': '5',
      }),
    ]);
    expect(host.journal.list()).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/things',
        status: 201,
        upstream: { answered: true },
        response: expect.objectContaining({ body: 'hello' }),
      }),
    ]);
    expect(host.journal.list()[0]).not.toHaveProperty('missed');
  });

  it('answers what no mock matches in the mode spy', async () => {
    const upstream = await serve((_request, response) => response.end('real'));
    const { url, host } = await recorder(upstream, 'spy', [
      { id: 'mine', request: { path: '/mine' }, response: { body: 'mock' } },
    ]);
    expect(await ask(`${url}/mine`)).toEqual([200, 'mock']);
    expect(await ask(`${url}/other`)).toEqual([200, 'real']);
    expect(recordedBy({ host } as HttpHost)).toHaveLength(1);
    expect(host.journal.list({ unmatched: true })).toEqual([]);
  });

  it('records what is new as mocks, which answer the same without it', async () => {
    let count = 0;
    const upstream = await serve((request, response) => {
      count += 1;
      const { pathname } = new URL(request.url ?? '/', 'http://x');
      response.setHeader('Content-Type', 'application/json');
      if (pathname === '/job') response.end(JSON.stringify({ state: count < 4 ? 'running' : 'done' }));
      else if (pathname === '/zipped') {
        response.setHeader('Content-Encoding', 'gzip');
        response.end(gzipSync('{"text": "{{not a template}}"}'));
      } else if (pathname === '/bytes') response.end(Buffer.from([0xff, 0, 0xfe]));
      else if (pathname === '/gone') response.writeHead(204).end();
      else response.end(JSON.stringify({ query: request.url }));
    });
    const recording = await recorder(upstream, 'record_new');
    const walk = async (url: string): Promise<unknown[]> => [
      await ask(`${url}/job`),
      await ask(`${url}/job`),
      await ask(`${url}/list`),
      await ask(`${url}/job`),
      await ask(`${url}/job`),
      await ask(`${url}/list?page=2`),
      await ask(`${url}/list?page=3`),
      await ask(`${url}/zipped`),
      await ask(`${url}/bytes`),
      await ask(`${url}/gone`),
      await ask(`${url}/list`, { method: 'POST', body: '{"b": 1, "a": [1, "*"]}' }),
      await ask(`${url}/list`, { method: 'POST' }),
    ];
    const real = await walk(recording.url);
    expect(real.slice(0, 5)).toEqual([
      [200, '{"state":"running"}'],
      [200, '{"state":"running"}'],
      [200, '{"query":"/list"}'],
      [200, '{"state":"done"}'],
      [200, '{"state":"done"}'],
    ]);
    const replayed = await replay(recording);
    expect(await walk(replayed.url)).toEqual(real);
    // The last answer stays, and never the first again.
    expect(await ask(`${replayed.url}/job`)).toEqual([200, '{"state":"done"}']);
    expect(await ask(`${replayed.url}/list?page=4`)).toEqual([
      404,
      expect.stringContaining('no mock matched'),
    ]);
    expect(await ask(`${replayed.url}/list?page=2&more=1`)).toEqual([404, expect.anything()]);
    expect(await ask(`${replayed.url}/list`, { method: 'POST', body: '{"b": 1, "a": [1]}' })).toEqual([
      404,
      expect.anything(),
    ]);
    expect(recordedBy(recording).find(({ id }) => id === 'recorded:get-job')).toMatchObject({
      sequence: [
        { json: { state: 'running' } },
        { json: { state: 'running' } },
        { json: { state: 'done' } },
        { json: { state: 'done' } },
      ],
    });
  });

  it('replaces what was recorded before in the mode record_all', async () => {
    let version = 1;
    const upstream = await serve((_request, response) => response.end(`version ${version}`));
    const first = await recorder(upstream, 'record_all');
    await ask(`${first.url}/thing`);
    version = 2;
    const mocks = structuredClone(recordedBy(first));
    const second = await recorder(upstream, 'record_all', mocks);
    expect(await ask(`${second.url}/thing`)).toEqual([200, 'version 2']);
    expect(recordedBy(second)).toEqual([
      { ...mocks[0], response: { ...(mocks[0]?.['response'] as object), body: 'version 2' } },
    ]);
    second.host.reset();
    expect(await ask(`${second.url}/thing`)).toEqual([200, 'version 2']);
  });

  it('keeps no secrets, and makes patterns of what is another each time', async () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZw';
    const upstream = await serve((_request, response) => {
      response.setHeader('Set-Cookie', 'session=top-secret-cookie; Path=/; HttpOnly');
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify({
          access_token: 'top-secret-answer',
          note: `see ${jwt}`,
          next_page_token: 'p2',
          max_tokens: 5,
        }),
      );
    });
    const recording = await recorder(upstream, 'record_new');
    const login = (url: string, id: string, password: string): Promise<[number, string]> =>
      ask(`${url}/login?api_key=top-secret-key&ts=${Date.now()}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: 'Bearer top-secret-bearer',
          Cookie: 's=top-secret-c',
        },
        body: JSON.stringify({ user: 'ann', password, request_id: id, sent: new Date().toISOString() }),
      });
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const [, real] = await login(recording.url, id, 'top-secret-password');
    expect(real).toContain('top-secret-answer');
    const stored = JSON.stringify([recordedBy(recording), recording.host.journal.list()]);
    expect(stored).not.toContain('top-secret');
    expect(stored).not.toContain(jwt);
    expect(JSON.stringify(recordedBy(recording))).not.toContain(id);
    expect(stored).toContain('"next_page_token":"p2"');
    expect(recording.host.journal.list()[0]?.upstream).toEqual({
      answered: true,
      recorded_id: 'recorded:post-login',
      patterns: [
        'query api_key: secret',
        'query ts: epoch',
        'body /password: secret',
        'body /request_id: uuid',
        'body /sent: timestamp',
      ],
    });
    const replayed = await replay(recording);
    const other = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
    expect(await login(replayed.url, other, 'another')).toEqual([
      200,
      '{"access_token":"REDACTED","note":"see REDACTED","next_page_token":"p2","max_tokens":5}',
    ]);
    expect(await login(replayed.url, 'no uuid', 'another')).toEqual([404, expect.anything()]);
  });

  it('says in the mode diff where the upstream answers otherwise than the mock', async () => {
    const upstream = await serve((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify({ id: 7, name: 'Ann', at: new Date().toISOString(), roles: ['admin', 'dev'] }),
      );
    });
    const json = { id: 7, name: 'Bob', at: '2020-01-01T00:00:00Z', roles: ['admin'] };
    const { url, host } = await recorder(upstream, 'diff', [
      { id: 'user', request: { path: '/user' }, response: { json } },
      {
        id: 'same',
        request: { path: '/same' },
        response: { json: { ...json, name: 'Ann', roles: ['admin', 'dev'] } },
      },
    ]);
    expect(await ask(`${url}/user`)).toEqual([200, JSON.stringify(json)]);
    await ask(`${url}/same`);
    expect((await ask(`${url}/none`))[0]).toBe(404);
    expect(host.journal.list().map((entry) => entry.upstream)).toEqual([
      {
        differences: [
          'body /name: the mock has "Bob", the upstream "Ann"',
          'body /roles/1: the mock has nothing, the upstream "dev"',
        ],
      },
      { differences: [] },
      undefined,
    ]);
  });

  it('answers 502 when the upstream is not there, and resets the client when it breaks off', async () => {
    const upstream = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('part');
      setImmediate(() => response.destroy());
    });
    const breaking = await recorder(upstream, 'record_all');
    await expect(ask(`${breaking.url}/x`)).rejects.toThrow();
    expect(recordedBy(breaking)).toEqual([]);
    const { url, lines } = await recorder('http://127.0.0.1:1', 'spy');
    expect(await ask(`${url}/x`)).toEqual([
      502,
      '{"error":"the upstream gave no answer: connect ECONNREFUSED 127.0.0.1:1"}',
    ]);
    expect(lines).toEqual([
      'warn: the upstream http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    ]);
  });

  it('meets faults like mocks do', async () => {
    const upstream = await serve((_request, response) => response.end('real'));
    const { url, host } = await recorder(upstream, 'passthrough');
    host.faults.set('http', { status: 503 });
    expect((await ask(`${url}/x`))[0]).toBe(503);
    host.faults.clear('http');
    expect(await ask(`${url}/x`)).toEqual([200, 'real']);
  });

  it.each([
    [{ url: 'http://169.254.169.254', mode: 'spy' }, 'link-local or cloud metadata'],
    [{ url: 'http://user:pw@localhost', mode: 'spy' }, 'no user and password'],
    [{ url: 'redis://localhost:6379', mode: 'spy' }, 'one of the schemes'],
    [{ mode: 'spy' }, 'needs the url'],
    [{ url: 'http://localhost', mode: 'record' }, 'must be one of'],
    [{ url: 'nothing', mode: 'spy' }, 'must be a url'],
  ])('is refused as %j', async (upstream, message) => {
    await expect(startHttp([], { upstream })).rejects.toThrow(message);
  });

  itWithTool('nginx curl', 'records curl against nginx, and replays it without', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'backlot-nginx-'));
    cleanUp(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    mkdirSync(path.join(folder, 'www'));
    writeFileSync(path.join(folder, 'www', 'page.html'), '<h1>{{a page}}</h1>\n'.repeat(60));
    const file = path.join(folder, 'nginx.conf');
    const server = await startServer(
      'nginx',
      (port) => {
        writeFileSync(
          file,
          `daemon off; worker_processes 1; pid nginx.pid; error_log stderr notice;
events { worker_connections 64; }
http {
  access_log off; default_type text/html; gzip on; gzip_types *;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server { listen 127.0.0.1:${port}; root ${folder}/www; location /old { return 301 http://127.0.0.1:${port}/page.html; } }
}`,
        );
        return ['-p', folder, '-c', file, '-e', 'stderr'];
      },
      'start worker process',
    );
    cleanUp(() => server.stop());
    const recording = await recorder(`http://127.0.0.1:${server.port}`, 'record_new');
    const walk = async (url: string): Promise<unknown[]> => {
      const results: unknown[] = [];
      for (const args of [
        ['--compressed', `${url}/page.html`],
        ['-L', `${url}/old`],
        ['-I', `${url}/page.html`],
        ['-r', '0-9', `${url}/page.html`],
        [`${url}/nothing`],
      ]) {
        const { out } = await runTool('curl', ['-s', ...args]);
        results.push(args[0] === '-I' ? /^HTTP\/1.1 \d+/.exec(out)?.[0] : out);
      }
      return results;
    };
    const real = await walk(recording.url);
    expect(real.slice(0, 4)).toEqual([
      '<h1>{{a page}}</h1>\n'.repeat(60),
      '<h1>{{a page}}</h1>\n'.repeat(60),
      'HTTP/1.1 200',
      '<h1>{{a pa',
    ]);
    await server.stop();
    const replayed = await replay(recording);
    expect(await walk(replayed.url)).toEqual(real);
  });
});
