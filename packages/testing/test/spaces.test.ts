import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSpace, useBacklot } from '../src/index.js';

/** What the management API is asked. */
const asked: string[] = [];
let api: Server;
let url = '';
let made = 0;

beforeAll(async () => {
  api = createServer((request, response) => {
    const { method, url: path, headers } = request;
    asked.push(`${method} ${path}`);
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status).end(JSON.stringify(body));
    if (headers.authorization !== 'Bearer secret') answer(401, { error: 'no token' });
    else if (method === 'POST' && path === '/api/spaces')
      answer(201, {
        id: `s${(made += 1)}`,
        protocols: { http: { url: 'http://x', host: 'x', port: 1 } },
        env: {},
      });
    else if (path === '/api/protocols') answer(200, [{ protocol: 'http', state: 'running' }]);
    else if (path === '/api/spaces/s1/state') answer(200, { k: 'v' });
    else if (path?.endsWith('/gone') === true) answer(404, { error: 'the space "s1" is gone' });
    else answer(200, { status: 'ok' });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
});

/** A runner that is driven by hand. */
function makeRunner() {
  const hooks: Record<string, (() => Promise<void>) | undefined> = {};
  const register = (name: string) => (hook: () => Promise<void>) => void (hooks[name] = hook);
  return {
    hooks: { beforeAll: register('first'), afterAll: register('last'), beforeEach: register('each') },
    run: async (name: 'first' | 'each' | 'last') => hooks[name]?.(),
  };
}

describe('a space of a running server', () => {
  it('is asked below its own path, with the token', async () => {
    const space = await createSpace({ url, token: 'secret', id: 's1', protocols: ['http'] });
    expect(space).toMatchObject({ id: 's1', headers: { 'Backlot-Space': 's1' } });
    expect(space.protocols['http']?.url).toBe('http://x');
    expect(await space.call('GET', '/state')).toEqual({ k: 'v' });
    await space.mock('http', { request: {}, response: {} });
    await expect(space.call('GET', '/gone')).rejects.toMatchObject({
      code: 'not_found',
      message: 'GET /api/spaces/s1/gone: the space "s1" is gone',
    });
    await space.remove();
    await space.remove();
    expect(asked.splice(0)).toEqual([
      'POST /api/spaces',
      'GET /api/protocols',
      'GET /api/spaces/s1/state',
      'POST /api/spaces/s1/mocks/http',
      'GET /api/spaces/s1/gone',
      'DELETE /api/spaces/s1',
    ]);
  });

  it('says what is wrong when none can be made', async () => {
    await expect(createSpace({ url, token: 'wrong' })).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(createSpace({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'not_enabled',
      message: expect.stringContaining('no Backlot answers at http://127.0.0.1:1'),
    });
    asked.length = 0;
  });

  it('is one for a file, reset before each test, or another one for each', async () => {
    for (const [scope, want] of [
      [
        true,
        [
          'POST /api/spaces',
          'GET /api/protocols',
          'POST /api/spaces/sX/reset',
          'POST /api/spaces/sX/reset',
          'DELETE /api/spaces/sX',
        ],
      ],
      [
        'test',
        [
          'POST /api/spaces',
          'GET /api/protocols',
          'DELETE /api/spaces/sX',
          'POST /api/spaces',
          'GET /api/protocols',
          'DELETE /api/spaces/sX',
        ],
      ],
    ] as const) {
      const runner = makeRunner();
      let setups = 0;
      const space = useBacklot({
        ...{ space: scope, url, token: 'secret', hooks: runner.hooks },
        setup: () => void (setups += 1),
      });
      expect(() => space.id).toThrow('was read while the Backlot does not run');
      await runner.run('first');
      await runner.run('each');
      const first = space.id;
      await runner.run('each');
      expect(space.id === first).toBe(scope === true);
      await runner.run('last');
      expect(setups).toBe(2);
      expect(asked.splice(0).map((line) => line.replace(/s\d+/, 'sX'))).toEqual(want);
    }
  });
});
