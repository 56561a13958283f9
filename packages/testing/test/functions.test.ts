import { afterEach, describe, expect, it } from '@jest/globals';
import type { HostOptions } from '@backlot/core';
import { http, type HttpAnswer } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { Redis } from 'ioredis';
import { startBacklot } from '../src/index.js';
import { sendMail } from './clients.js';

const PROTOCOLS = [http, smtp, redis] as const;
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

async function start(options?: Pick<HostOptions, 'functions' | 'keys'>) {
  const lines: string[] = [];
  const backlot = await startBacklot({
    protocols: PROTOCOLS,
    ...options,
    log: ({ kind, level, text }) => lines.push(`${kind} ${level}: ${text}`),
  });
  stop = () => backlot.stop();
  return { backlot, lines };
}

describe('a function', () => {
  it('answers with what the request, the state, the collections and the clock say', async () => {
    const { backlot } = await start();
    const orders = backlot.http.mock({
      id: 'order',
      request: { method: 'POST', path: '/customers/{id}/orders' },
      respond: async ({ params, body, headers, query }, { call, state, collection, clock }) => {
        state.set('last', String(body.item));
        const row = collection('orders').create({ item: body.item, customer: params['id'] });
        await clock.wait(0);
        return {
          status: 201,
          headers: { 'X-Call': String(call) },
          json: { ...row, trace: headers['x-trace'], page: query['page'], at: clock.now() > 0 },
        };
      },
    });
    const answer = await fetch(`${backlot.http.url}/customers/7/orders?page=2`, {
      method: 'POST',
      headers: { 'X-Trace': 't' },
      body: JSON.stringify({ item: '{{request.path}}' }),
    });
    expect([answer.status, answer.headers.get('x-call')]).toEqual([201, '1']);
    expect(await answer.json()).toMatchObject({
      item: '{{request.path}}',
      customer: '7',
      trace: 't',
      page: '2',
      at: true,
    });
    expect(backlot.state.all()).toEqual({ last: '{{request.path}}' });
    expect(backlot.collection('orders').size).toBe(1);
    expect(orders.count).toBe(1);
    expect(backlot.http.mocks.get('order').respond).toEqual({ function: 'respond' });
  });

  it('signs and verifies tokens with the keys of the configuration, by the clock', async () => {
    const { backlot } = await start({
      keys: { k1: { alg: 'ES256' }, k2: { alg: 'ES256' }, s: { alg: 'HS256' } },
    });
    backlot.http.mock({
      request: { method: 'POST', path: '/token' },
      respond: (_, { keys, clock }) => {
        const exp = Math.floor(clock.now() / 1000) + 60;
        return { body: keys.sign('k1', { sub: 'ann', exp }, 'at+jwt') };
      },
    });
    backlot.http.mock({
      request: { path: '/check' },
      respond: ({ query }, { keys }) => ({
        json: ['k1', 'k2'].map((name) =>
          keys.verify(name, String(query['token']), Number(query['leeway'] ?? 0)),
        ),
      }),
    });
    backlot.http.mock({
      request: { path: '/keys' },
      respond: ({ query }, { keys }) => ({
        json: keys.publicKeys(query['all'] === '1' ? undefined : ['k2', 's']),
      }),
    });
    const get = async (path: string): Promise<unknown> => (await fetch(`${backlot.http.url}${path}`)).json();
    const token = await (await fetch(`${backlot.http.url}/token`, { method: 'POST' })).text();
    expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: 'k1',
    });
    expect(await get(`/check?token=${token}`)).toMatchObject([
      { claims: { sub: 'ann' } },
      { problem: 'has a signature that is not of key "k2"' },
    ]);
    await backlot.clock.advance(61_000);
    expect(await get(`/check?token=${token}`)).toMatchObject([
      { problem: expect.stringContaining('expired') },
      {},
    ]);
    expect(await get(`/check?token=${token}&leeway=Infinity`)).toMatchObject([
      { claims: { sub: 'ann' } },
      {},
    ]);
    expect(await get('/keys')).toMatchObject({ keys: [{ kid: 'k2' }] });
    expect(await get('/keys?all=1')).toMatchObject({ keys: [{ kid: 'k1' }, { kid: 'k2' }] });
  });

  it('pushes into open streams what it has made, and says which are open', async () => {
    const { backlot } = await start();
    backlot.http.mock({
      id: 'feed',
      request: { path: '/feed' },
      response: { headers: { 'Content-Type': 'text/event-stream' } },
      stream: { events: [], keep_open: true },
    });
    backlot.http.mock({
      id: 'tell',
      request: { method: 'POST', path: '/tell' },
      respond: ({ body }, context) => {
        const open = context.streams('http/feed');
        context.push('http/feed', { event: 'said', data: body });
        for (const id of open) context.push(`http/${id}`, `to ${open.indexOf(id)}`);
        return { json: [open.length, context.streams('websocket/feed').length] };
      },
    });
    const tell = async (said: unknown): Promise<unknown> =>
      (await fetch(`${backlot.http.url}/tell`, { method: 'POST', body: JSON.stringify(said) })).json();
    expect(await tell('nobody hears it')).toEqual([0, 0]);
    const feed = await fetch(`${backlot.http.url}/feed`);
    expect(await tell({ n: '{{request.path}}' })).toEqual([1, 0]);
    backlot.streams.close({ protocol: 'http', mock_id: 'feed' }, undefined);
    expect(await feed.text()).toBe('event: said\ndata: {"n":"{{request.path}}"}\n\ndata: to 0\n\n');
  });

  it('fails when it pushes what a protocol does not take, or where nothing can be', async () => {
    const { backlot, lines } = await start();
    backlot.http.mock({
      id: 'tell',
      request: { method: 'POST' },
      respond: ({ body }, context) => {
        context.push(body.to, body.data);
        return { body: 'never' };
      },
    });
    const tell = async (said: object): Promise<string> =>
      (await fetch(backlot.http.url, { method: 'POST', body: JSON.stringify(said) })).text();
    expect(await tell({ to: 'feed', data: '' })).toContain('must name a protocol and a mock');
    expect(await tell({ to: 'redis/feed', data: '' })).toContain('has no streams');
    expect(await tell({ to: 'http/feed', data: { event: 5, data: '' } })).toContain('data for http');
    expect(lines).toHaveLength(3);
  });

  it('has the counts, limits, faults, resets and snapshots of any mock', async () => {
    const { backlot } = await start();
    let asked = 0;
    const respond = (): HttpAnswer => ({ body: String((asked += 1)) });
    backlot.http.mock({ id: 'twice', times: 2, request: { path: '/' }, respond });
    const get = async (): Promise<number | string> => {
      const answer = await fetch(backlot.http.url);
      return answer.ok ? answer.text() : answer.status;
    };
    const before = backlot.snapshot();
    backlot.http.fault({ status: 502 });
    expect(await get()).toBe(502);
    backlot.http.clearFault();
    expect([await get(), await get()]).toEqual(['1', 404]);
    before.restore();
    expect(await get()).toBe('2');
    backlot.reset();
    expect(await get()).toBe(404);
  });

  it('may answer what another mock of a list of settings says, and survives a reset', async () => {
    const host = await startBacklot({
      protocols: [redis],
      settings: {
        redis: {
          mocks: [
            { id: 'len', command: 'GET', respond: ({ key }) => ({ type: 'integer', value: key.length }) },
          ],
        },
      },
    });
    stop = () => host.stop();
    const client = new Redis(host.redis.url);
    try {
      expect(await client.get('abc')).toBe(3);
      host.reset();
      expect(await client.get('abcd')).toBe(4);
    } finally {
      client.disconnect();
    }
  });

  it('decides about mail', async () => {
    const { backlot } = await start();
    backlot.smtp.mock({
      respond: ({ subject }) =>
        String(subject).includes('spam') ? { action: 'reject', message: 'no {{thanks}}' } : 'accept',
    });
    await sendMail(backlot.smtp.url, { to: 'ada@example.com', subject: 'news' });
    await expect(sendMail(backlot.smtp.url, { to: 'ada@example.com', subject: 'spam' })).rejects.toThrow(
      'no {{thanks}}',
    );
    expect(backlot.smtp.captured()).toHaveLength(1);
  });

  it('that takes too long or fails is told of, and its signal is aborted', async () => {
    const { backlot, lines } = await start({ functions: { timeout: '20ms' } });
    let signal: AbortSignal | undefined;
    backlot.http.mock({
      id: 'slow',
      request: { path: '/slow' },
      respond: (_request, context) => {
        ({ signal } = context);
        return new Promise(() => undefined);
      },
    });
    const answer = await fetch(`${backlot.http.url}/slow`);
    expect(answer.status).toBe(500);
    expect(signal?.aborted).toBe(true);
    const failure = 'the function of mock "slow" has failed: it has not answered within 20ms';
    expect(backlot.http.calls('slow')[0]?.failure).toBe(failure);
    expect(lines).toContain(`http error: ${failure}`);
  });

  it('is not brought by a scenario, and can be replaced by one', async () => {
    const { backlot } = await start();
    backlot.http.mock({ id: 'a', request: { path: '/' }, respond: () => ({ body: 'function' }) });
    const { scenarios } = backlot;
    const bring = (): unknown =>
      scenarios.create({ id: 'bad', patches: [{ mock_id: 'a', merge: { respond: { module: './x.js' } } }] });
    scenarios.create({
      id: 'good',
      patches: [{ mock_id: 'a', merge: { respond: null, response: { body: 'fixed' } } }],
    });
    expect(bring).toThrow('a function comes with code alone');
    scenarios.activate('good');
    expect(await (await fetch(backlot.http.url)).text()).toBe('fixed');
    scenarios.deactivate('good');
    expect(await (await fetch(backlot.http.url)).text()).toBe('function');
  });

  it('gives its first answer again where the mock says once', async () => {
    const { backlot } = await start();
    let asked = 0;
    backlot.http.mock({
      request: { method: 'POST', path: '/' },
      once: { key: '{{request.headers.key}}' },
      respond: async () => ({ body: String((asked += 1)) }),
    });
    const post = async (key: string): Promise<string> =>
      (await fetch(backlot.http.url, { method: 'POST', headers: { key } })).text();
    expect([await post('a'), await post('b'), await post('a')]).toEqual(['1', '2', '1']);
  });
});

/** Does not compile when functions are not typed by the schemas. */
export function types({ http: web, redis: cache }: Awaited<ReturnType<typeof start>>['backlot']): void {
  web.mock({ request: { path: '/' }, respond: () => ({ status: 200, json: { any: ['value'] } }) });
  web.mock({ request: { path: '/' }, respond: async () => ({ response: { body: 'b' } }) });
  // @ts-expect-error a status is a number
  web.mock({ request: { path: '/' }, respond: () => ({ status: 'ok' }) });
  // @ts-expect-error a promise of a number is no answer
  web.mock({ request: { path: '/' }, respond: async () => 5 });
  // @ts-expect-error no such type of answer
  cache.mock({ command: 'GET', respond: () => ({ type: 'text', value: 'v' }) });
  // @ts-expect-error no such name beside the message
  web.mock({ request: { path: '/' }, respond: (_request, { calls }) => ({ body: String(calls) }) });
}
