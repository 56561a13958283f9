import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request, type IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, method, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const FILES = /(?:href|src)="(ui\/[^"]+)"/g;

it('answers the page with a policy that lets it load its own files alone', async () => {
  const { url } = await start();
  const { status, headers, body } = await get(`${url}/`);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['cache-control']).toBe('no-cache');
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
  );
  expect(headers['x-frame-options']).toBe('DENY');
  expect(body.toString()).not.toMatch(/<script(?![^>]*src=)|style=|https?:/);
});

it('names files by their content, and packs them for who takes that', async () => {
  const { url } = await start();
  const names = [...(await get(`${url}/`)).body.toString().matchAll(FILES)].map(([, name = '']) => name);
  expect(names).toHaveLength(3);
  for (const name of names) {
    const plain = await get(`${url}/${name}`);
    const packed = await get(`${url}/${name}`, { 'accept-encoding': 'gzip' });
    expect(plain.status).toBe(200);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.body.equals(gzipSync(plain.body, { level: 9 }))).toBe(true);
    const head = await get(`${url}/${name}`, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(plain.body.length),
      0,
    ]);
  }
});

it('is small: what a browser loads first has less than 60 KB', async () => {
  const { url } = await start();
  const page = await get(`${url}/`, { 'accept-encoding': 'gzip' });
  const named = [...(await get(`${url}/`)).body.toString().matchAll(FILES)].map(([, name = '']) => name);
  const names = new Set(named);
  // What a module imports comes with it; what it imports later is written as a call.
  for (const name of names) {
    const text = (await get(`${url}/${name}`)).body.toString();
    for (const [, inner = ''] of text.matchAll(/(?:from|import)['"]\.\/([^'"]+)['"]/g))
      names.add(`ui/${inner}`);
  }
  expect(names.size).toBeGreaterThan(named.length);
  const sizes = await Promise.all(
    Array.from(
      names,
      async (name) => (await get(`${url}/${name}`, { 'accept-encoding': 'gzip' })).body.length,
    ),
  );
  expect(sizes.reduce((sum, size) => sum + size, page.body.length)).toBeLessThan(60_000);
});

it('changes nothing but by an action, which can be shown as code', () => {
  const folder = fileURLToPath(new URL('../web/', import.meta.url));
  const asks = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[.]tsx?$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const using = (pattern: RegExp): string[] =>
    asks.flatMap(({ name, text }) => (pattern.test(text) ? [name] : [])).sort();
  expect(using(/\bfetch\(/)).toEqual(['lib/action.ts', 'lib/api.ts']);
  // The frame of a mail is made to be looked at, the form of a route shows its own request, and a file is tried before it is imported.
  expect(using(/\brequest[(<]/)).toEqual([
    'lib/action.ts',
    'lib/api.ts',
    'views/import-trial.tsx',
    'views/mail.tsx',
  ]);
  const trial = asks.find(({ name }) => name === 'views/import-trial.tsx')?.text ?? '';
  expect(trial.match(/\brequest[(<].*/g)).toEqual([expect.stringContaining('&dry_run=true`')]);
  expect(using(/\bapiText\(/)).toEqual(['lib/api.ts', 'views/api-route.tsx']);
  expect(using(/\bquestion\b/)).toEqual([
    'lib/api.ts',
    'lib/dry-run.ts',
    'views/checks.tsx',
    'views/why.tsx',
  ]);
});

it('needs no token, as what it shows does, and leaves all else to the management port', async () => {
  const { url } = await start({}, 'secret');
  expect((await get(`${url}/`)).status).toBe(200);
  expect((await get(`${url}/api/mocks/http`)).status).toBe(401);
  expect((await get(`${url}/ui/../package.json`)).status).toBe(401);
  expect((await get(`${url}/ui/main.js`, { authorization: 'Bearer secret' })).status).toBe(404);
  expect((await get(`${url}/`, {}, 'POST')).status).toBe(401);
});

it('is not shown to a page of another site in a frame, nor under a name that another name server gave', async () => {
  const { url } = await start();
  expect((await get(`${url}/`, { host: 'evil.example.com' })).status).toBe(403);
});

it('leads from the description of the interface to its own view of it', async () => {
  const { url } = await start({}, 'secret');
  const { status, headers } = await get(`${url}/api/docs`);
  expect([status, headers.location]).toEqual([302, '../#/api']);
  expect((await get(`${url}/api/docs`, { host: 'evil.example.com' })).status).toBe(403);
});
