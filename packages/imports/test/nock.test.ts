import { createHost, type Host } from '@backlot/core';
import { http } from '@backlot/http';
import { afterEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { convertText, mocksOf } from './support/convert.js';
import { INTERCEPTORS } from './support/events-and-handlers.js';
import { packageFile } from './support/packages.js';
import { runCode } from './support/run-code.js';

const hosts: Host[] = [];

afterEach(async () => {
  nock.cleanAll();
  nock.restore();
  for (const host of hosts.splice(0)) await host.stop(0);
});

async function answerOf(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  const body = await response.text();
  const header = (name: string): string | null => response.headers.get(name);
  return [
    response.status,
    body,
    header('content-type')?.includes('json') ?? false,
    header('x-total'),
    header('location'),
  ];
}

describe('nock', () => {
  it('answers as nock itself answers by the same interceptors', async () => {
    const { imported } = convertText(INTERCEPTORS, 'shop.test.js');
    const host = await createHost({
      protocols: [http],
      settings: { http: { port: 0, ...imported.protocols?.['http'] } },
    });
    hosts.push(host);
    await host.start();
    const { url = '' } = host.kind('http');
    if (!nock.isActive()) nock.activate();
    runCode(INTERCEPTORS, { nock });
    const team = { 'x-team': 'ops' };
    const json = { ...team, 'content-type': 'application/json' };
    const requests: readonly (readonly [
      method: string,
      path: string,
      headers?: Record<string, string>,
      body?: unknown,
    ])[] = [
      ['GET', '/v1/items?page=2&tag[]=a', team],
      ['POST', '/v1/items', json, { sizes: [1, 2], name: 'mug' }],
      ['GET', '/once'],
      ['GET', '/once'],
      ['GET', '/once'],
      ['PUT', '/docs/12'],
      ['GET', '/secret', { accept: 'application/json', authorization: `Basic ${btoa('ann:pw')}` }],
      ['DELETE', '/always'],
      ['DELETE', '/always'],
    ];
    for (const [method, path, headers = {}, body] of requests) {
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const theirs = await answerOf(`http://shop.example.com${path}`, init);
      expect([path, await answerOf(`${url}${path}`, init)]).toEqual([path, theirs]);
    }
    for (const path of ['/once', '/v1/items?page=2&tag[]=a&more=1'])
      expect((await fetch(`${url}${path}`, { headers: team })).status).toBe(404);
  });

  it('says of each interceptor that is not taken why, with its line', () => {
    const { report } = convertText(
      `const nock = require('nock')
        nock('http://a.test').get((uri) => uri.includes('x')).reply(200)
        nock('http://a.test').post('/echo').reply(201, (uri, body) => body)
        nock('http://a.test').get('/file').replyWithFile(200, __dirname + '/x.json')
        nock(/a/).get('/').reply(200)
        nock('http://a.test').get('/ok').reply(200, 'ok').get('/down').replyWithError('down')`,
      'a.test.js',
    );
    expect(report.refused.map(({ place, message }) => `${place}: ${message}`)).toEqual([
      'line 2: "GET " is left out: it needs a function',
      'line 3: "POST /echo" is left out: it needs a function',
      'line 4: "GET /file" is left out: what it answers stands in another file',
      'line 5: interceptors are left out: it needs a regular expression as a value',
    ]);
    expect(report.approximated).toEqual([
      { place: 'line 6', message: 'an error of the network is a connection that is reset', count: 1 },
    ]);
    expect(report.taken).toEqual({ 'http mocks': 2 });
  });

  it("takes the interceptors of nock's own documentation", () => {
    const { imported, report } = convertText(packageFile('nock/README.md'), 'README.md');
    const mocks = mocksOf({ imported });
    expect(mocks.length).toBeGreaterThan(40);
    expect(mocks[0]).toMatchObject({
      request: { method: 'GET', path: '/repos/atom/atom/license' },
      response: { status: 200, json: { license: { key: 'mit', spdx_id: 'MIT' } } },
    });
    expect(mocks.map(({ request }) => request)).toContainEqual({ method: 'GET', path: 're:source$' });
    expect(report.refused.length).toBeGreaterThan(5);
  });
});
