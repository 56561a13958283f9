import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBacklotError } from '@backlot/core';
import { http } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { Redis } from 'ioredis';
import { startBacklot } from '../src/index.js';

const FILE = `
seed: 7
state: { plan: gold }
vars: { shop: Corner }
webhooks: { enabled: false }
scenarios: [{ id: down, patches: [{ protocol: http, mock_id: hello, status: 503 }] }]
protocols:
  http:
    port: 8080
    mocks:
      - { id: hello, request: { path: /hello }, response: { body: '{{vars.shop}} {{state.plan}}' } }
      - { id: page, request: { path: /page }, response: { body: { file: page.html } } }
  redis: { port: 6379, mode: stateful }
  memcached: { mode: stateful }
`;

let folder = '';
let file = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backlot-testing-'));
  file = join(folder, 'backlot.yaml');
  writeFileSync(file, FILE);
  writeFileSync(join(folder, 'page.html'), '<p>page</p>');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

describe('a Backlot of a configuration file', () => {
  it('is what the command starts, on free ports', async () => {
    const backlot = await startBacklot({ config: file, protocols: [http, redis] });
    stop = () => backlot.stop();
    expect(backlot.http.port).not.toBe(8080);
    expect(await (await fetch(`${backlot.http.url}/hello`)).text()).toBe('Corner gold');
    expect(await (await fetch(`${backlot.http.url}/page`)).text()).toBe('<p>page</p>');
    backlot.scenarios.activate('down');
    expect((await fetch(`${backlot.http.url}/hello`)).status).toBe(503);
    expect(backlot.http.calls('hello')).toHaveLength(2);
    const client = new Redis(backlot.redis.port);
    await client.set('a', '1');
    expect(await client.get('a')).toBe('1');
    client.disconnect();
    expect(backlot.seed).toBe(7);
    expect(backlot.webhooks?.enabled).toBe(false);
    // A kind of the file whose types nobody asked for.
    expect(backlot.host.kind('memcached').url).toMatch(/^memcached:\/\//);
  });

  it('needs no protocols, and takes further ones and settings over those of the file', async () => {
    const plain = await startBacklot({ config: file });
    stop = () => plain.stop();
    expect(await (await fetch(`${plain.host.kind('http').url ?? ''}/hello`)).text()).toBe('Corner gold');
    await plain.stop();
    const backlot = await startBacklot({
      config: file,
      protocols: [http, smtp],
      settings: { http: { cors: true } },
      state: { plan: 'silver' },
      seed: 9,
    });
    stop = () => backlot.stop();
    const answer = await fetch(`${backlot.http.url}/hello`, { headers: { origin: 'http://a.example' } });
    expect([await answer.text(), answer.headers.get('access-control-allow-origin')]).toEqual([
      'Corner silver',
      'http://a.example',
    ]);
    expect(backlot.smtp.url).toMatch(/^smtp:/);
    expect(backlot.seed).toBe(9);
  });

  it('is refused with every problem of the file', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, 'protocols:\n  http:\n    mocks: [{ request: { pth: /x } }]\n    prot: 1\n');
    const thrown: unknown = await startBacklot({ config: wrong }).catch((error: unknown) => error);
    expect(isBacklotError(thrown)).toBe(true);
    expect(String(thrown)).toContain('wrong.yaml:3');
    expect(String(thrown)).toContain('did you mean "path"');
    expect(String(thrown)).toContain('did you mean "port"');
    await expect(startBacklot({ config: join(folder, 'none.yaml') })).rejects.toThrow(/none\.yaml/);
    await expect(startBacklot({})).rejects.toThrow('a Backlot needs `protocols`');
  });
});
