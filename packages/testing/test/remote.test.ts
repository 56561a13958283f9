import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RemoteBacklot } from '@backlot/client';
import { createManagementServer } from '@backlot/management';
import { http } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { Redis } from 'ioredis';
import type {} from '../src/jest.js';
import {
  assertAllMatched,
  assertCaptured,
  assertReceived,
  assertReceivedTimes,
  assertSeen,
  connect,
  createSpace,
  matchers,
  startBacklot,
  type Backlot,
} from '../src/index.js';
import { sendMail } from './clients.js';

expect.extend(matchers);

const protocols = [http, smtp, redis] as const;
type Both = Backlot<typeof protocols, readonly []> | RemoteBacklot<typeof protocols>;

let served: Backlot<typeof protocols, readonly []>;
let server: Server;
let url = '';

beforeAll(async () => {
  served = await startBacklot({ protocols });
  server = createManagementServer(served.host);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await served.stop();
});

/** In the same process, at a server, and in a space of it. */
const PLACES: readonly [string, () => Promise<{ readonly backlot: Both; stop(): Promise<void> }>][] = [
  [
    'in the same process',
    async () => {
      const backlot = await startBacklot({ protocols });
      return { backlot, stop: () => backlot.stop() };
    },
  ],
  [
    'at a server',
    async () => {
      const backlot = await connect({ url, protocols });
      return { backlot, stop: () => backlot.reset() };
    },
  ],
  [
    'in a space',
    async () => {
      const backlot = await createSpace({ url, protocols });
      return { backlot, stop: () => backlot.stop() };
    },
  ],
];

describe.each(PLACES)('a Backlot %s', (_name, open) => {
  it('has mocks, calls, messages, state, rows, scenarios, faults, time and snapshots', async () => {
    const { backlot, stop } = await open();
    try {
      const hello = await backlot.http.mock({
        id: 'hello',
        request: { path: '/hello' },
        response: { body: 'Hello {{state.who}}' },
      });
      await backlot.state.setAll({ who: 'Ann' });
      const waiting = hello.waitForCalls(1, 10_000);
      expect(await (await fetch(`${backlot.http.url}/hello`)).text()).toBe('Hello Ann');
      expect(await waiting).toMatchObject([{ method: 'GET', path: '/hello' }]);
      expect(await hello.count).toBe(1);
      expect(await backlot.http.calls('hello')).toHaveLength(1);
      expect(await backlot.http.journal({ limit: 5 })).toMatchObject([{ path: '/hello' }]);

      const taken = backlot.smtp.waitForCaptured({ subject: /^Wel/ }, 10_000);
      await sendMail(backlot.smtp.url, { subject: 'Welcome', to: 'ann@example.com' });
      expect(await taken).toMatchObject({ subject: 'Welcome' });
      expect(await backlot.smtp.captured({ subject: 'Other' })).toEqual([]);

      const rows = backlot.collection<{ id: string; n: number }>('things');
      await rows.create({ id: 'a', n: 1 });
      expect(await rows.update('a', { n: 2 })).toMatchObject({ n: 2 });
      expect(await rows.has('b')).toBe(false);
      expect(await rows.list()).toHaveLength(1);

      const snapshot = await backlot.snapshot();
      await backlot.scenarios.create({ id: 'down', faults: { http: { status: 503 } } });
      expect(await backlot.scenarios.activate('down')).toEqual(['down']);
      expect((await fetch(`${backlot.http.url}/hello`)).status).toBe(503);
      await snapshot.restore();
      expect((await fetch(`${backlot.http.url}/hello`)).status).toBe(200);

      await backlot.http.fault({ status: 500 });
      expect((await fetch(`${backlot.http.url}/hello`)).status).toBe(500);
      await backlot.http.clearFault();
      await backlot.clock.freeze(true);
      const { now } = await backlot.clock.view();
      await backlot.clock.advance(60_000);
      expect(Date.parse((await backlot.clock.view()).now) - Date.parse(now)).toBe(60_000);

      await hello.replace({ request: { path: '/other' }, response: { status: 204 } });
      expect(await backlot.http.mocks.list()).toMatchObject([{ id: 'hello', response: { status: 204 } }]);
      await hello.remove();
      expect(await backlot.http.mocks.has('hello')).toBe(false);
      await backlot.reset();
      expect(await backlot.state.all()).toEqual({});
    } finally {
      await stop();
    }
  });

  it('has mocks, calls and connections of a store, and data of its own', async () => {
    const { backlot, stop } = await open();
    const client = new Redis(backlot.redis.url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      const greeting = await backlot.redis.mock({
        command: 'GET',
        key: 'greeting:*',
        response: { type: 'string', value: 'Hi' },
      });
      await client.connect();
      expect(await client.get('greeting:ann')).toBe('Hi');
      await client.set('own', 'value');
      expect(await client.get('own')).toBe('value');
      expect(await greeting.waitForCalls(1, 10_000)).toMatchObject([{ method: 'GET' }]);
      expect(await greeting.count).toBe(1);
      await backlot.redis.fault({ error: 'LOADING busy' });
      await expect(client.get('own')).rejects.toThrow('LOADING');
      await backlot.redis.clearFault();
      expect(await backlot.redis.connections()).toHaveLength(1);
      const closed = new Promise((resolve) => client.once('close', resolve));
      expect(await backlot.redis.closeConnections()).toBe(1);
      await closed;
    } finally {
      client.disconnect();
      await stop();
    }
  });

  it('is judged by matchers and assertions, which say what came instead', async () => {
    const { backlot, stop } = await open();
    try {
      const order = await backlot.http.mock({
        id: 'order',
        request: { method: 'POST', path: '/orders' },
        response: { status: 201 },
      });
      await fetch(`${backlot.http.url}/orders`, { method: 'POST', body: '{"sku": "tea"}' });
      await sendMail(backlot.smtp.url, { subject: 'Order', to: 'ann@example.com' });
      // Of either kind, since both are awaited.
      const remote = backlot as RemoteBacklot<typeof protocols>;
      const { http: web, smtp: mail } = remote;
      await expect(web).toHaveReceived('order');
      await expect(web).toHaveReceivedTimes(1, { body: { sku: 'tea' } });
      await expect(mail).toHaveCaptured({ subject: 'Order' });
      await expect(remote).toHaveSeen([{ http: { mock: 'order' } }, { smtp: { to: 'ann@*' } }]);
      await expect(remote).not.toHaveUnmatched();
      await assertReceived(order as never, undefined);
      await assertReceivedTimes(web, 1, 'order');
      await assertCaptured(mail, { to: ['ann@example.com'] });
      await assertSeen(backlot, [{ http: { mock: 'order' }, times: 1 }]);
      await assertAllMatched(remote);

      await fetch(`${backlot.http.url}/order`, { method: 'POST' });
      const failed = async (): Promise<void> => expect(web).toHaveReceived({ path: '/orderz' });
      await expect(failed()).rejects.toThrow(/received 2 messages, none as wanted[^]*not "order": /);
      const unmatched = async (): Promise<void> => assertAllMatched(remote);
      await expect(unmatched()).rejects.toThrow(/POST \/order -> 404/);
      const unknown = async (): Promise<void> => expect(web).toHaveReceived('nobody');
      await expect(unknown()).rejects.toThrow('http has no mock "nobody"; there are "order"');
      await expect(async () => backlot.http.waitForCalls('order', 3, 20)).rejects.toMatchObject({
        code: 'timeout',
        message: expect.stringMatching(/"order" was called 1 time in 20 ms, want 3[^]*POST \/order -> 404/),
      });
      await expect(
        (async () => backlot.http.mock({ request: { pat: '/x' } } as never))(),
      ).rejects.toMatchObject({ code: 'invalid', details: [{ path: '/request/pat' }] });
      await expect((async () => backlot.http.calls('nobody'))()).rejects.toMatchObject({ code: 'not_found' });
    } finally {
      await stop();
    }
  });
});

it('a kind that is not there, and a server that is not there, are said', async () => {
  await expect(connect({ url, protocols: ['ftp'] })).rejects.toThrow(/has no ftp; it has http, smtp, redis/);
  await expect(connect({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({
    code: 'not_enabled',
    message: expect.stringContaining('no Backlot answers at http://127.0.0.1:1'),
  });
});
