import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { eventually, runTool } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { createManagementServer } from '@backlot/management';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { createWebhooks } from '@backlot/webhooks';

const WORKER = fileURLToPath(new URL('spaces-worker.mjs', import.meta.url));
const WORKERS = 8;
const TESTS = 200;

const host = await createHost({ protocols: [http, redis, kafka, smtp], host: '127.0.0.1' });
await host.start();
const api = createManagementServer(host);
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  await host.stop(0);
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
});

it('200 tests in eight processes never see each other, on shared ports and on ports of their own', async () => {
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const ports = Object.fromEntries(host.kinds.map(({ kind, address }) => [kind, address?.port]));
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, (_, index) =>
      runTool(process.execPath, [WORKER, JSON.stringify([url, ports, `w${index}`, TESTS / WORKERS])]),
    ),
  );
  expect(workers).toEqual(
    workers.map(() => expect.objectContaining({ out: String(TESTS / WORKERS), code: 0 })),
  );
  expect(host.spaces.size).toBe(0);
  // Nothing of it was seen in the main world.
  expect(host.journal.count().count).toBe(0);
  expect(host.kind(smtp).captures.values()).toEqual([]);
  expect(host.kind(kafka).captures.values()).toEqual([]);
  expect(host.kinds.map((kind) => kind.connections.list())).toEqual([[], [], [], []]);
}, 120_000);

it('reactions and webhooks of a space stay in it', async () => {
  const target = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const hook = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
  const world = await createHost({
    protocols: [http, redis, kafka, smtp],
    host: '127.0.0.1',
    webhooks: createWebhooks(),
    settings: {
      http: { mocks: [{ id: 'order', request: { path: '/orders' }, webhooks: [{ url: `${hook}/mock` }] }] },
    },
    reactions: [
      {
        id: 'placed',
        on: { http: { mock: 'order' } },
        do: [
          { kafka: { topic: 'orders', value: 'placed' } },
          { smtp: { to: 'ann@example.com', subject: 'Order' } },
          { state: { last: 'order' } },
          { http: { webhook: { url: `${hook}/reaction` } } },
        ],
      },
      { id: 'told', on: { state: { key: 'last' } }, do: [{ redis: { channel: 'news', message: 'x' } }] },
    ],
  });
  try {
    await world.start();
    const [t1, t2] = [await world.spaces.create({ id: 't1' }), await world.spaces.create({ id: 't2' })];
    const called = new Promise<readonly string[]>((resolve) => {
      const urls: string[] = [];
      target.on('request', ({ url = '' }: IncomingMessage) => {
        urls.push(url);
        if (urls.length === 2) resolve(urls);
      });
    });
    const { port = 0 } = world.kind(http).address ?? {};
    const headers = { 'Backlot-Space': 't1' };
    expect((await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST', headers })).status).toBe(200);
    expect([...(await called)].sort()).toEqual(['/hook/mock', '/hook/reaction']);
    const inside = t1.host;
    await eventually(
      () => inside.reactions.get('told').runs === 1 && inside.webhooks?.history().length === 2,
    );
    const seen = [inside, world, t2.host].map(({ reactions, state, webhooks, kinds }) => ({
      runs: reactions.list().map(({ runs }) => runs),
      last: state.all()['last'],
      sent: webhooks?.history().length,
      mails: kinds.find(({ kind }) => kind === 'smtp')?.captures?.values().length,
    }));
    const nothing = { runs: [0, 0], last: undefined, sent: 0, mails: 0 };
    expect(seen).toEqual([{ runs: [1, 1], last: 'order', sent: 2, mails: 1 }, nothing, nothing]);
    expect([inside, world].map((each) => each.kind(kafka).data.size('topics'))).toEqual([1, 0]);
  } finally {
    await world.stop(0);
    target.closeAllConnections();
    target.close();
    await once(target, 'close');
  }
});
