import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { collectCleanups } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';
import { connect, createSpace } from '../src/index.js';

const afterThis = collectCleanups();

const CONTRACT = {
  openapi: '3.0.3',
  info: { title: 'Greetings', version: '1' },
  paths: {
    '/hello': {
      get: {
        responses: {
          200: { content: { 'text/plain': { schema: { type: 'string', enum: ['Grüße, 100%'] } } } },
        },
      },
    },
  },
};

/** A server whose HTTP only warns of what its contract does not allow. */
async function serve(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'greetings.json');
  writeFileSync(file, JSON.stringify(CONTRACT));
  const host = await createHost({
    protocols: [http],
    settings: { http: { contract: { file, mode: 'warn' } } },
  });
  afterThis(() => host.stop(0));
  await host.start();
  const server = createManagementServer(host);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterThis(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('hands on what the server and a space of it warn of, and makes the mocks', async () => {
  const url = await serve();
  const told: string[] = [];
  const onWarning = (message: string): void => void told.push(message);
  const whole = await connect({ url, protocols: [http], onWarning });
  const space = await createSpace({ url, protocols: [http], onWarning });
  for (const backlot of [whole, space]) {
    const mock = (id: string, body: string) => ({
      id,
      request: { method: 'GET', path: '/hello' },
      response: { body, headers: { 'Content-Type': 'text/plain' } },
    });
    await backlot.http.mock(mock('kind', 'Grüße, 100%'));
    expect(told).toEqual([]);
    await backlot.http.mock(mock('short', 'Tag'));
    expect(told.splice(0)).toEqual([
      '/response: mock "short" answers what the contract does not allow: the body must be one of "Grüße, 100%"',
    ]);
    expect(await backlot.http.mocks.has('short')).toBe(true);
    await backlot.http.mocks.patch('kind', { response: { body: 'Hi' } });
    expect(told.splice(0)).toEqual([expect.stringContaining('mock "kind" answers')]);
  }
  await space.remove();
});
