import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { runTool } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { createManagementServer } from '@backlot/management';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';

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
      runTool(process.execPath, [WORKER, JSON.stringify([url, ports, `w${index}`, TESTS / WORKERS])], {
        timeout: 120_000,
      }),
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
