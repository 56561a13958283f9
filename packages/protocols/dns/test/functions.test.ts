import { Resolver } from 'node:dns/promises';
import { afterEach, expect, it } from '@jest/globals';
import { createHost, type Host } from '@backlot/core';
import { dns, type DnsMock } from '../src/index.js';

let host: Host | undefined;
afterEach(() => host?.stop(0));

async function start(...mocks: readonly DnsMock[]): Promise<Resolver> {
  host = await createHost({ protocols: [dns], settings: { dns: { host: '127.0.0.1', mocks } } });
  await host.start();
  const resolver = new Resolver({ timeout: 5000, tries: 1 });
  resolver.setServers([`127.0.0.1:${host.kind(dns).address?.port ?? 0}`]);
  return resolver;
}

it('asks several mocks of one question, and answers SERVFAIL when a function fails', async () => {
  const resolver = await start(
    { name: 'a.test', type: 'A', respond: () => ['192.0.2.1'] },
    { name: 'a.test', type: 'A', respond: async () => ({ records: ['192.0.2.2'], ttl: 5 }) },
    { name: 'broken.test', type: 'A', respond: () => ['no address'] },
  );
  expect((await resolver.resolve4('a.test')).sort()).toEqual(['192.0.2.1', '192.0.2.2']);
  await expect(resolver.resolve4('broken.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  expect(host?.journal.list().at(-1)?.failure).toContain('what it returned is not valid: /records/0');
});

it('follows an alias to a function that answers at once', async () => {
  const resolver = await start(
    { name: 'www.test', type: 'CNAME', records: ['host.test'] },
    { name: 'host.test', type: 'A', respond: () => ['192.0.2.9'] },
    { name: 'late.test', type: 'CNAME', records: ['slow.test'] },
    { name: 'slow.test', type: 'A', respond: async () => ['192.0.2.9'] },
  );
  expect(await resolver.resolve4('www.test')).toEqual(['192.0.2.9']);
  await expect(resolver.resolve4('late.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  expect(host?.journal.list().at(-1)?.failure).toContain('it gave a promise');
});
