import { describe, expect, it } from '@jest/globals';
import { createHost, manifestOf, protocolFromManifest, type Host, type Protocol } from '@backlot/core';
import { createManagementServer, createOpenApiDocument } from '@backlot/management';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { MANIFESTS } from '../src/manifests.generated.js';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import { loadPlugins } from '../src/plugins/installed.js';

async function loadAll(): Promise<Protocol[]> {
  // One after the other: the module loader of the tests mixes up imports that run side by side.
  for (const { load } of INSTALLED_PROTOCOLS) await load();
  return (await loadPlugins([])).map(({ protocol }) => protocol);
}

function operationsOf(host: Host): string[] {
  return Object.entries(createOpenApiDocument(host).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  );
}

async function withHost<T>(protocols: readonly Protocol[], use: (host: Host) => T): Promise<Awaited<T>> {
  const off = Object.fromEntries(protocols.map(({ kind }) => [kind, { enabled: false }]));
  const host = await createHost({ protocols, settings: off });
  try {
    return await use(host);
  } finally {
    await host.stop(0);
  }
}

describe('manifests of the protocols that come with the app', () => {
  it('are those that the declarations give', async () => {
    expect(MANIFESTS).toEqual((await loadAll()).map(manifestOf));
    expect(MANIFESTS.map(({ kind }) => kind)).toEqual(INSTALLED_PROTOCOLS.map(({ kind }) => kind));
  });

  it('give the same routes as the declarations', async () => {
    const whole = await loadAll();
    const manifests = MANIFESTS.map((manifest) =>
      protocolFromManifest(manifest, () => Promise.reject(new Error('not to be loaded'))),
    );
    const expected = await withHost(whole, operationsOf);
    expect(await withHost(manifests, operationsOf)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(250);
  });

  it('are what the app has of kinds that nobody asked for, and the description has them whole', async () => {
    const plugins = await loadPlugins([], (kind) => kind === 'tcp');
    expect(
      plugins.filter(({ protocol }) => protocol.load === undefined).map(({ protocol }) => protocol.kind),
    ).toEqual(['tcp']);
    await withHost(
      plugins.map(({ protocol }) => protocol),
      async (host) => {
        const server = createManagementServer(host);
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const ask = async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
          const answer = await fetch(url + path, {
            method,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          return [answer.status, await answer.json()];
        };
        expect(await ask('GET', '/api/mocks/redis')).toEqual([200, []]);
        expect(await ask('DELETE', '/api/amqp/messages')).toEqual([200, { status: 'cleared' }]);
        expect(await ask('GET', '/api/grpc/protos')).toEqual([200, []]);
        expect(await ask('POST', '/api/mocks/redis', {})).toEqual([
          503,
          { error: 'redis protocol not enabled' },
        ]);
        expect(await ask('POST', '/api/snmp/traps/x/send')).toEqual([
          503,
          { error: 'snmp protocol not enabled' },
        ]);
        expect((await ask('POST', '/api/scenarios', { faults: { dns: { rcode: 'nothing' } } }))[0]).toBe(400);
        expect((await ask('POST', '/api/scenarios', { faults: { dns: { rcode: 'REFUSED' } } }))[0]).toBe(201);
        const [status, document] = await ask('GET', '/api/openapi.json');
        expect(status).toBe(200);
        expect(document).toMatchObject({
          components: {
            schemas: { RedisMock: { properties: { command: {} } }, LdapMock: { properties: {} } },
          },
        });
        server.close();
        server.closeAllConnections();
      },
    );
  });
});
