import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost } from '@backlot/core';
import { http } from '../src/index.js';
import { startHttp, stopAll, type HttpHost } from './support/http-host.js';

afterEach(stopAll);

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function ask(
  server: HttpHost,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<Answer> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const customers = {
  customers: {
    id: 'cus_{{rand_string 14}}',
    set: { object: 'customer', created: '{{date "unix"}}' },
    rows: [{ id: 'cus_1', name: 'Ann' }],
  },
};

describe('a resource', () => {
  const list = '{"object":"list","data":{{rows}},"has_more":{{has_more}}}';
  const entry = { resource: { path: '/v1/customers', collection: 'customers', list } };

  it('is listed, created, read, replaced, updated and deleted', async () => {
    const server = await startHttp([entry], {}, { collections: customers });
    const made = await ask(server, 'POST', '/v1/customers', { name: 'Bob "B"', tags: ['x'] });
    expect(made).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^cus_\w{14}$/),
        name: 'Bob "B"',
        tags: ['x'],
        object: 'customer',
        created: expect.any(Number),
      },
    });
    const { id } = made.body as { id: string };
    const path = `/v1/customers/${id}`;
    expect(await ask(server, 'GET', path)).toEqual({ status: 200, body: made.body });
    expect(await ask(server, 'PATCH', path, { name: 'Bo' })).toMatchObject({
      status: 200,
      body: { name: 'Bo', tags: ['x'] },
    });
    const put = await ask(server, 'PUT', path, { name: 'B' });
    expect(put).toEqual({ status: 200, body: { ...(made.body as object), name: 'B', tags: undefined } });
    expect(await ask(server, 'GET', '/v1/customers?limit=1')).toEqual({
      status: 200,
      body: {
        object: 'list',
        data: [{ id: 'cus_1', name: 'Ann', object: 'customer', created: expect.any(Number) }],
        has_more: true,
      },
    });
    expect(await ask(server, 'GET', '/v1/customers?after=cus_1')).toMatchObject({
      body: { data: [{ id }], has_more: false },
    });
    expect(await ask(server, 'GET', '/v1/customers?sort=-name')).toMatchObject({
      body: { data: [{ id }, { id: 'cus_1' }] },
    });
    expect(await ask(server, 'DELETE', path)).toEqual({ status: 204, body: undefined });
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      expect(await ask(server, method, path, body)).toEqual({
        status: 404,
        body: { error: 'not found', id },
      });
    }
    expect(server.host.collection('customers').size).toBe(1);
    expect(server.lines).toEqual([]);
  });

  it('refuses what is there already, and what is no object', async () => {
    const server = await startHttp([entry], {}, { collections: customers });
    expect((await ask(server, 'POST', '/v1/customers', { id: 'cus_1' })).status).toBe(409);
    expect((await ask(server, 'POST', '/v1/customers', 'no json')).status).toBe(400);
    expect((await ask(server, 'PATCH', '/v1/customers/cus_1', '[1]')).status).toBe(400);
    expect((await ask(server, 'GET', '/v1/customers?limit=many')).status).toBe(400);
    expect((await ask(server, 'GET', '/v1/customers?after=gone')).status).toBe(400);
    expect(server.host.collection('customers').list()).toHaveLength(1);
  });

  it('is mocks with ids of its own, which others can stand before', async () => {
    const before = {
      id: 'down',
      request: { method: 'GET', path: '/v1/customers/cus_1' },
      response: { status: 503 },
    };
    const server = await startHttp(
      [before, { ...entry, id: 'c', priority: 0 }],
      {},
      { collections: customers },
    );
    expect((await ask(server, 'GET', '/v1/customers/cus_1')).status).toBe(503);
    expect(
      server.host
        .kind('http')
        .mocks.list()
        .map(({ id }) => id),
    ).toEqual([
      'down',
      ...['list', 'bad-list', 'create', 'conflict', 'bad-create', 'get', 'replace', 'update', 'delete'].map(
        (name) => `c-${name}`,
      ),
      ...[
        'bad-put',
        'bad-patch',
        'not-found-get',
        'not-found-put',
        'not-found-patch',
        'not-found-delete',
      ].map((name) => `c-${name}`),
    ]);
  });

  it.each([
    [{ resource: { path: '/a' } }, '/settings/http/mocks/1/resource/collection'],
    [{ resource: { path: 'a', collection: 'c' } }, '/settings/http/mocks/1/resource/path'],
    [{ resource: { path: '/a', collection: 'c', list: '{{#rows}}' } }, '/settings/http/mocks/1/resource'],
    [{ request: { path: '/a', method: 5 } }, '/settings/http/mocks/1/request/method'],
  ])('or a mock beside one that is not valid is refused with its place: %j', async (wrong, path) => {
    const mocks = [entry, wrong] as never;
    const made = createHost({ protocols: [http], settings: { http: { mocks } } });
    await expect(made).rejects.toMatchObject({ details: [expect.objectContaining({ path })] });
  });
});

describe('mocks of HTTP and a collection', () => {
  it('give the first answer again for the same idempotency key', async () => {
    const server = await startHttp(
      [
        {
          request: { method: 'POST', path: '/charges' },
          once: { key: '{{request.headers.idempotency-key}}', same: '{{request.raw_body}}' },
          collection: { name: 'charges', create: true, value: { amount: '{{request.body.amount}}' } },
          response: { status: 201, body: '{"charge":{{row}},"trace":"{{uuid}}"}' },
        },
        {
          request: { method: 'POST', path: '/charges' },
          response: { status: 409, body: '{"error":"idempotency_error"}' },
        },
      ],
      {},
    );
    const charge = (amount: number, key: string): Promise<Answer> =>
      ask(server, 'POST', '/charges', { amount }, { 'Idempotency-Key': key });
    const first = await charge(5, 'k');
    expect(first).toMatchObject({ status: 201, body: { charge: { amount: 5 } } });
    expect(await charge(5, 'k')).toEqual(first);
    expect((await charge(6, 'k')).status).toBe(409);
    expect(await charge(5, 'other')).not.toEqual(first);
    expect(server.host.collection('charges').size).toBe(2);
  });
});

describe('several operations of one mock', () => {
  const order = {
    id: 'order',
    request: { method: 'POST', path: '/orders' },
    collection: [
      { name: 'customers', get: '{{request.body.customer}}', as: 'customer' },
      { name: 'stock', get: true, where: { id: '{{request.body.item}}', left: { gt: 0 } }, as: 'item' },
      { name: 'stock', update: '{{item.id}}', value: { left: '{{sub item.left 1}}' } },
      { name: 'orders', create: true, value: { customer: '{{customer.id}}', item: '{{item.id}}' } },
    ],
    response: { status: 201, json: { id: '{{row.id}}', for: '{{customer.name}}', item: '{{item.id}}' } },
  };
  const collections = {
    customers: { rows: [{ id: 'c1', name: 'Ann' }] },
    stock: { rows: [{ id: 'mug', left: 1 }] },
    orders: { id: 'o{{seq "orders"}}' },
  };

  it('are all done, or the next mock answers and nothing has changed', async () => {
    const sold = { request: { method: 'POST', path: '/orders' }, response: { status: 409, json: {} } };
    const server = await startHttp([order, sold], {}, { collections });
    const made = { status: 201, body: { id: 'o1', for: 'Ann', item: 'mug' } };
    expect(await ask(server, 'POST', '/orders', { customer: 'c2', item: 'mug' })).toMatchObject({
      status: 409,
    });
    expect(await ask(server, 'POST', '/orders', { customer: 'c1', item: 'mug' })).toEqual(made);
    expect(await ask(server, 'POST', '/orders', { customer: 'c1', item: 'mug' })).toMatchObject({
      status: 409,
    });
    expect(server.host.collection('stock').list()).toEqual([{ id: 'mug', left: 0 }]);
    expect(server.host.collection('orders').list()).toEqual([{ id: 'o1', customer: 'c1', item: 'mug' }]);
  });

  it('are seen by functions, by name', async () => {
    const { response: _response, ...rest } = order;
    const respond = (_request: unknown, { row, found }: { row: unknown; found: unknown }): object => ({
      json: { row, found },
    });
    const server = await startHttp([], {}, { collections });
    server.host.kind('http').mocks.create({ ...rest, respond });
    const row = { id: 'o1', customer: 'c1', item: 'mug' };
    expect((await ask(server, 'POST', '/orders', { customer: 'c1', item: 'mug' })).body).toEqual({
      row,
      found: { row, customer: { id: 'c1', name: 'Ann' }, item: { id: 'mug', left: 1 } },
    });
  });
});
