import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, runCommand, startCommand, type StartedServer } from '../command.js';

const FIXTURE = fileURLToPath(new URL('../fixtures/mockly/general.yaml', import.meta.url));

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
beforeAll(async () => {
  folder = makeFolder();
  copyFileSync(FIXTURE, join(folder.path, 'mockly.yaml'));
  server = await startCommand([], { cwd: folder.path });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

function ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.urls['http']}${path}`, { method, redirect: 'manual', ...init });
}

describe('a file that was written for Mockly', () => {
  it('gets one hint for each pattern that means something else here', async () => {
    const { code, stdout } = await runCommand(['validate'], { cwd: folder.path });
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.includes('hint:'))).toEqual([
      expect.stringContaining('protocols.http.mocks[4].request.body: hint:'),
      expect.stringContaining('protocols.http.mocks[6].request.headers.Authorization: hint:'),
    ]);
  });

  it('answers as it does there', async () => {
    expect((await ask('HEAD', '/bucket/x')).headers.get('content-length')).toBe('18');
    const redirect = await ask('GET', '/authorize?redirect_uri=http://a/b&state=7');
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^http:\/\/a\/b\?code=[\w-]{36}&state=7$/),
    ]);
    expect((await ask('DELETE', '/users/3')).status).toBe(204);
    expect(await (await ask('POST', '/chat', { body: '"stream":true' })).text()).toBe(
      'data: {"a":1}\n\ndata: [DONE]\n\n',
    );
    const secure = await ask('GET', '/secure');
    expect([secure.status, secure.headers.get('www-authenticate')]).toEqual([401, 'NTLM']);
    const statuses = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await ask('GET', '/flaky')).status);
    expect(statuses).toEqual([503, 200, 503, 200]);
  });

  it('renders its templates', async () => {
    const created = await ask('POST', '/users');
    expect(created.status).toBe(201);
    expect(await created.json()).toEqual({
      id: expect.stringMatching(/^[\w-]{36}$/),
      seq: 1,
      name: expect.stringMatching(/^\w+ \w+$/),
      role: expect.stringMatching(/^(?:user|moderator)$/),
      age: expect.any(Number),
      score: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      next: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      s: expect.stringMatching(/^[0-9a-f]{8}$/),
      b: expect.any(Boolean),
      st: '',
    });
  });

  it('sends its webhooks and applies its scenarios', async () => {
    await ask('POST', '/pay', {
      headers: { authorization: 'key' },
      body: JSON.stringify({
        callback: `${server.urls['http']}/users`,
        secret: 's',
        order: { amount: 5, currency: 'EUR' },
      }),
    });
    const wait = `${server.urls['api']}/api/calls/http/created/wait`;
    const { calls } = (await (await fetch(wait, { method: 'POST', body: '{"count": 2}' })).json()) as {
      calls: { body: string }[];
    };
    expect(JSON.parse(calls.at(-1)?.body ?? '')).toEqual({ amount: 5, currency: 'EUR' });
    await fetch(`${server.urls['api']}/api/scenarios/down/activate`, { method: 'POST' });
    const down = await ask('POST', '/users');
    expect([down.status, down.headers.get('retry-after'), await down.text()]).toEqual([
      503,
      '5',
      '{"error":"x"}',
    ]);
  });
});
