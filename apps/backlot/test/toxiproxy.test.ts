import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createHost, type Host } from '@backlot/core';
import { dns } from '@backlot/dns';
import { redis } from '@backlot/redis';
import { Toxiproxy } from 'toxiproxy-node-client';
import { readServerFlags } from '../src/cli/start-options.js';
import { planServer } from '../src/server/plan.js';
import { startServer } from '../src/server/start-server.js';
import { createToxiproxyPort, type ToxiproxyPort } from '../src/toxiproxy/toxiproxy-port.js';

let host: Host;
let port: ToxiproxyPort;
let url: string;
let client: Toxiproxy;
const errors: string[] = [];

beforeEach(async () => {
  host = await createHost({ protocols: [redis, dns], settings: { dns: {}, redis: {} }, host: '127.0.0.1' });
  await host.start();
  port = createToxiproxyPort(host, { host: '127.0.0.1', port: 0 }, (text) => errors.push(text));
  url = `http://127.0.0.1:${(await port.start()).port}`;
  client = new Toxiproxy(url);
});

afterEach(async () => {
  await port.stop(0);
  await host.stop(0);
  expect(errors.splice(0)).toEqual([]);
});

/** What PING is answered with; `closed` when the connection is. */
function ping(): Promise<string> {
  const socket = net.connect(host.kind('redis').address?.port ?? 0, '127.0.0.1');
  socket.on('error', () => undefined).write('PING\r\n');
  return new Promise((resolve) => {
    socket.once('data', (data) => {
      resolve(data.toString().trim());
      socket.destroy();
    });
    socket.once('close', () => resolve('closed'));
  });
}

/** What is answered to a request of no library. */
async function ask(method: string, path: string, body?: string, headers = {}): Promise<[number, unknown]> {
  const request = http.request(`${url}${path}`, { method, headers }).end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const part of response) text += String(part);
  return [response.statusCode ?? 0, text === '' ? undefined : JSON.parse(text)];
}

it('is driven by the client library of Toxiproxy', async () => {
  expect(JSON.parse(await client.getVersion())).toEqual({ version: '2.12.0' });
  const all = await client.getAll();
  expect(Object.keys(all)).toEqual(['redis', 'dns']);
  const { port: listened } = host.kind('redis').address ?? {};
  const proxy = await client.get('redis');
  expect(proxy).toMatchObject({ name: 'redis', listen: `127.0.0.1:${listened}`, enabled: true });

  const toxic = await proxy.addToxic({
    name: 'cut',
    type: 'limit_data',
    stream: 'downstream',
    toxicity: 1,
    attributes: { bytes: 3 },
  });
  expect(await ping()).toBe('+PO');
  await toxic.update({ ...toxic.toJson(), attributes: { bytes: 2 } });
  expect(await ping()).toBe('+P');
  expect((await proxy.getToxic('cut')).toJson()).toMatchObject({
    attributes: { bytes: 2 },
    toxicity: 1,
  });
  await toxic.remove();
  expect(await ping()).toBe('+PONG');
  await expect(proxy.getToxic('cut')).rejects.toThrow('404');

  expect(
    await proxy.update({ enabled: false, listen: proxy.listen, upstream: proxy.upstream }),
  ).toMatchObject({
    enabled: false,
  });
  expect(await ping()).toBe('closed');
  await client.reset();
  expect(await ping()).toBe('+PONG');
  expect((await client.get('redis')).enabled).toBe(true);
});

it('has a proxy for each kind, and makes no others', async () => {
  const populated = await client.populate([
    { name: 'redis', listen: '127.0.0.1:0', upstream: '127.0.0.1:6379' },
    { name: 'dns', listen: '', upstream: '', enabled: false },
  ]);
  expect(populated['dns']?.enabled).toBe(false);
  expect(host.kind('dns').toxics.list()).toMatchObject([{ type: 'down' }]);
  await (await client.get('dns')).remove();
  expect(host.kind('dns').toxics.list()).toEqual([]);
  const listen = `127.0.0.1:${host.kind('redis').address?.port}`;
  expect((await client.createProxy({ name: 'redis', listen, upstream: 'x:1' })).enabled).toBe(true);
  const refused = async (body: unknown): Promise<unknown> => {
    const [status, { error }] = (await ask('POST', '/proxies', JSON.stringify(body))) as [
      number,
      { error: string },
    ];
    return `${status} ${error}`;
  };
  expect(await refused({ name: 'shop' })).toBe(
    '400 Backlot makes no proxies, each of its protocols is one: redis, dns',
  );
  expect(await refused({ name: 'redis', listen: '127.0.0.1:1' })).toContain(`redis listens on ${listen}`);
  expect(await refused({ name: 'redis', enabled: 'no' })).toContain('enabled must be true or false');
  expect(await refused({})).toContain('missing required field: name');
  expect(await refused([])).toContain('must be an object');
});

it('refuses what is wrong, unknown, too large, or from a page', async () => {
  expect(await ask('GET', '/proxies/shop')).toEqual([
    404,
    { error: 'proxy not found; there are redis, dns', status: 404 },
  ]);
  expect((await ask('GET', '/proxies/redis/toxics/none'))[0]).toBe(404);
  expect((await ask('PATCH', '/proxies/redis/toxics/none', '{}'))[0]).toBe(404);
  expect((await ask('GET', '/metrics'))[0]).toBe(404);
  expect((await ask('GET', '/proxies/%zz'))[0]).toBe(400);
  expect((await ask('POST', '/populate', '{}'))[0]).toBe(400);
  expect((await ask('POST', '/proxies/redis/toxics', '{'))[0]).toBe(400);
  expect((await ask('POST', '/proxies/redis/toxics', 'x'.repeat(1024 * 1024 + 1)))[0]).toBe(413);
  const [status, body] = await ask('POST', '/proxies/redis/toxics', '{"type": "loss"}');
  expect([status, (body as { error: string }).error]).toEqual([
    400,
    expect.stringContaining('toxic of datagrams'),
  ]);
  const twice = '{"type": "latency", "name": "", "stream": "", "attributes": null}';
  expect((await ask('POST', '/proxies/redis/toxics', twice))[0]).toBe(200);
  expect((await ask('POST', '/proxies/redis/toxics', twice))[0]).toBe(409);
  expect(
    (await ask('PATCH', '/proxies/redis/toxics/latency_downstream', '{"toxicity": 0.5}'))[1],
  ).toMatchObject({
    toxicity: 0.5,
    attributes: { latency: 0, jitter: 0 },
  });
  expect((await ask('POST', '/reset', '', { origin: 'http://shop.example' }))[0]).toBe(403);
  expect((await ask('POST', '/reset', '', { 'user-agent': 'Mozilla/5.0' }))[0]).toBe(403);
});

it('listens where a flag or the file says, on localhost where there is a token', async () => {
  const flags = readServerFlags({ toxiproxyPort: 8474 }, ['--toxiproxy-port', '8474']);
  expect([...flags.ports.keys()]).not.toContain('toxiproxy');
  expect(planServer({}, [redis], {}).toxiproxy).toBeUndefined();
  const plan = planServer({ toxiproxy: { port: 1 }, host: '0.0.0.0' }, [redis], {
    ...{ toxiproxyPort: flags.toxiproxyPort, token: 'secret' },
  });
  expect(plan.toxiproxy).toEqual({ host: 'localhost', port: 8474 });
  const free = planServer({ toxiproxy: { port: 8474 }, host: '127.0.0.1' }, [redis], { freePorts: true });
  const server = await startServer({
    plan: free,
    protocols: [redis],
    version: '0.0.0',
    log: () => undefined,
  });
  try {
    expect(Object.keys(await new Toxiproxy(server.toxiproxyUrl ?? '').getAll())).toEqual([]);
  } finally {
    await server.stop();
  }
});
