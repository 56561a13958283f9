import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { createHost, type Host } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { createManagementRouter, type ManagementRoute } from '../src/index.js';
import { plain } from './support/plain.js';

let server: Server | undefined;
let host: Host | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  await host?.stop(0);
});

async function mount(compose: (app: Express, made: Host) => void): Promise<string> {
  host = await createHost({ protocols: [plain], settings: { 'plain-text': {} } });
  await host.start();
  const app = express();
  compose(app, host);
  const made = createServer(app);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

describe('the router in another application', () => {
  it('leaves other paths to the application', async () => {
    const url = await mount((app, made) => {
      app.use(createManagementRouter(made));
      app.get('/mine', (_request, response) => void response.send('mine'));
    });
    expect(await (await fetch(`${url}/mine`)).text()).toBe('mine');
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    expect((await fetch(`${url}/api/mine`)).status).toBe(404);
  });

  it('works below a path', async () => {
    const url = await mount((app, made) => app.use('/mocks', createManagementRouter(made)));
    const created = await fetch(`${url}/mocks/api/mocks/plain-text`, { method: 'POST', body: '{"id":"a"}' });
    expect([created.status, await created.json()]).toEqual([201, { id: 'a' }]);
    expect((await fetch(`${url}/api/health`)).status).toBe(404);
  });

  it('takes a body that a parser has read before', async () => {
    const url = await mount((app, made) => {
      app.use(express.json({ type: 'application/json' }), express.raw({ type: 'application/octet-stream' }));
      app.use(createManagementRouter(made));
    });
    const post = async (type: string): Promise<number> => {
      const headers = { 'content-type': type };
      return (await fetch(`${url}/api/mocks/plain-text`, { method: 'POST', body: '{"word":"a"}', headers }))
        .status;
    };
    expect([
      await post('application/json'),
      await post('application/octet-stream'),
      await post('text/plain'),
    ]).toEqual([201, 201, 201]);
  });

  it('asks the route whose literal segments come first, whatever their paths begin with', async () => {
    const route = (method: 'GET' | 'POST', path: string): ManagementRoute => ({
      method,
      path,
      name: `${method} ${path}`,
      tag: 'Own',
      summary: path,
      ...(/{/.test(path)
        ? { params: Object.fromEntries(namesIn(path).map((name) => [name, Type.String()])) }
        : {}),
      responses: { 200: { description: 'Which one it is.', schema: Type.Object({ path: Type.String() }) } },
      reach: 'here',
      handle: () => ({ body: { path } }),
    });
    const paths = [
      '/api/things/{id}',
      '/api/things/one',
      '/api/{what}/one',
      '/api/{what}',
      '/api/{what}/{id}/on',
    ];
    const routes = [...paths.map((path) => route('GET', path)), route('POST', '/api/things/one')];
    const url = await mount((app, made) => app.use(createManagementRouter(made, { routes })));
    const asked = async (path: string): Promise<unknown> => {
      const response = await fetch(`${url}${path}`);
      return response.ok ? ((await response.json()) as { path: string }).path : response.status;
    };
    const answers: unknown[] = [];
    for (const path of ['things/one', 'things/two', 'others/one', 'others', 'others/two/on', 'others/two'])
      answers.push(await asked(`/api/${path}`));
    expect(answers).toEqual([
      '/api/things/one',
      '/api/things/{id}',
      '/api/{what}/one',
      '/api/{what}',
      '/api/{what}/{id}/on',
      404,
    ]);
    const options = await fetch(`${url}/api/things/one`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
    const refused = await fetch(`${url}/api/others/one`, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

/** The names of the parameters in a path. */
function namesIn(path: string): string[] {
  return [...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => name);
}
