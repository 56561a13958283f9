import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { createHost, type Host } from '@backlot/core';
import { createManagementRouter } from '../src/index.js';
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
});
