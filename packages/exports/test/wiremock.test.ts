import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Imported } from '@backlot/core';
import { collectCleanups, itWithTool } from '@backlot/conformance';
import { http } from '@backlot/http';
import { expect } from '@jest/globals';
import { exported, running } from './support/running.js';

const afterThis = collectCleanups();

const require = createRequire(import.meta.url);

/** WireMock itself, as its own package brings it. */
const JAR = join(dirname(require.resolve('wiremock/package.json')), 'build/wiremock-standalone-3.13.2.jar');

/** Starts a WireMock without stubs, and gives its url. */
async function startWireMock(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wiremock-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  const options = ['--port', '0', '--bind-address', '127.0.0.1', '--root-dir', folder, '--disable-banner'];
  const child = spawn('java', ['-jar', JAR, ...options], { stdio: 'pipe' });
  let output = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  afterThis(async () => {
    child.kill();
    await ended;
  });
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const port = /^port:\s+(\d+)\n/m.exec(output)?.[1];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
      });
    }
    void ended.then(() => reject(new Error(`WireMock ended: ${output}`)));
  });
}

const MOCKS: readonly Record<string, unknown>[] = [
  {
    id: 'item',
    request: { method: 'GET', path: '/items/7' },
    response: { json: { id: 7, tags: ['a'] }, headers: { 'X-From': ['a', 'b'] } },
  },
  {
    id: 'any',
    request: { method: 'GET', path: '/items/{id}' },
    response: { body: 'item {{request.params.id}} {{request.query.q}} {{request.headers.x-team}}' },
  },
  { id: 'last', priority: -1, request: { path: '/items/*' }, response: { status: 404, body: 'none' } },
  {
    id: 'patterns',
    request: {
      method: 'POST',
      path: '/items',
      query: { q: { present: true } },
      headers: { 'X-Team': { regex: '^(?:a|b)$' } },
      body: { json: { partial: { n: 1 } } },
    },
    response: { status: 201, headers: { Location: '/items/8' } },
  },
  { id: 'turns', request: { path: '/busy' }, sequence: [{ status: 503 }, { body: 'done' }] },
  {
    id: 'empty',
    state: { key: 'scenario:cart', value: 'Started' },
    set_state: { 'scenario:cart': 'full' },
    request: { method: 'GET', path: '/cart' },
    response: { body: 'empty' },
  },
  {
    id: 'full',
    state: { key: 'scenario:cart', value: 'full' },
    request: { method: 'GET', path: '/cart' },
    response: { body: 'full', delay: '1ms' },
  },
  { id: 'broken', request: { path: '/broken' }, response: { broken: 'empty' } },
  { id: 'braces', request: { path: '/braces' }, response: { body: '<b>{{raw "{{"}}tea}}</b>' } },
];

const REQUESTS: readonly (readonly [path: string, options?: RequestInit])[] = [
  ['/items/7'],
  ['/items/8?q=tea', { headers: { 'X-Team': 'b' } }],
  ['/items/8', { method: 'DELETE' }],
  ['/items?q=1', { method: 'POST', headers: { 'X-Team': 'b' }, body: '{"n":1,"m":2}' }],
  ['/items?q=1', { method: 'POST', headers: { 'X-Team': 'c' }, body: '{"n":1,"m":2}' }],
  ['/items', { method: 'POST', headers: { 'X-Team': 'b' }, body: '{"n":1}' }],
  ['/items?q=1', { method: 'POST', headers: { 'X-Team': 'b' }, body: '{"n":2}' }],
  ['/busy'],
  ['/busy'],
  ['/busy'],
  ['/cart'],
  ['/cart'],
  ['/broken'],
  ['/braces'],
];

/** What a server answers; what is said of requests that nothing matches is its own. */
async function ask(url: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [path, options] of REQUESTS) {
    const answer = await fetch(url + path, options).catch(() => undefined);
    const text = await answer?.text();
    const isOwn = answer?.status !== 404 || text === 'none';
    answers.push({
      path,
      status: answer?.status,
      from: answer?.headers.get('x-from'),
      location: answer?.headers.get('location'),
      body: isOwn ? text : undefined,
    });
  }
  return answers;
}

itWithTool('java', 'WireMock itself reads the stubs, and answers the same', async () => {
  const settings: Imported = {
    protocols: { http: { mocks: MOCKS } },
    state: { 'scenario:cart': 'Started' },
  };
  const host = await running([http], settings, afterThis);
  const { text, report } = await exported(host, 'wiremock');
  expect(report.refused).toEqual([]);
  const ours = await ask(host.kind('http').url ?? '');
  const theirs = await startWireMock();
  // It refuses fields that it does not know.
  const taken = await fetch(`${theirs}/__admin/mappings/import`, { method: 'POST', body: text });
  expect({ status: taken.status, text: await taken.text() }).toEqual({ status: 200, text: '' });
  expect(await ask(theirs)).toEqual(ours);
});
