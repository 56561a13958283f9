import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

describe('collections', () => {
  it('are declared, read in parts, changed and removed', async () => {
    const { call, host } = await start();
    expect((await call('GET', '/api/collections')).body).toEqual([]);
    expect((await call('GET', '/api/collections/c')).status).toBe(404);
    const made = await call('PUT', '/api/collections/c', {
      key: 'code',
      id: 'n{{seq "c"}}',
      set: { on: true },
      rows: [{ code: 'a' }],
    });
    expect([made.status, made.body]).toEqual([200, { name: 'c', key: 'code', rows: 1 }]);
    const created = await call('POST', '/api/collections/c', { n: 1.5, list: [null, true] });
    expect([created.status, created.body]).toEqual([
      201,
      { code: 'n1', n: 1.5, list: [null, true], on: true },
    ]);
    await call('POST', '/api/collections/c', { code: 7 });
    expect((await call('POST', '/api/collections/c', { code: 'a' })).status).toBe(409);
    expect((await call('GET', '/api/collections/c?limit=1&after=a')).body).toMatchObject([{ code: 'n1' }]);
    expect((await call('GET', '/api/collections/c?after=gone')).status).toBe(400);
    expect((await call('GET', '/api/collections')).body).toEqual([{ name: 'c', key: 'code', rows: 3 }]);
    expect((await call('PATCH', '/api/collections/c/7', { x: { y: 1 } })).body).toEqual({
      code: 7,
      on: true,
      x: { y: 1 },
    });
    expect((await call('PUT', '/api/collections/c/7', { z: 1 })).body).toEqual({ code: 7, on: true, z: 1 });
    expect((await call('GET', '/api/collections/c/7')).body).toEqual({ code: 7, on: true, z: 1 });
    expect((await call('DELETE', '/api/collections/c/7')).body).toEqual({ status: 'deleted', deleted: '7' });
    expect((await call('GET', '/api/collections/c/7')).status).toBe(404);
    const set = await call('PUT', '/api/collections/c', [{ code: 'x' }, { code: 'y' }]);
    expect([set.status, set.body]).toEqual([200, { name: 'c', key: 'code', rows: 2 }]);
    host.reset();
    expect((await call('GET', '/api/collections/c')).status).toBe(404);
    await call('PUT', '/api/collections/c', []);
    expect((await call('DELETE', '/api/collections/c')).status).toBe(200);
    expect((await call('DELETE', '/api/collections/c')).status).toBe(404);
  });

  it.each([
    ['PUT', '/api/collections/c', [{ id: 'a' }, { id: 'a' }], 409],
    ['PUT', '/api/collections/c', [5], 400],
    ['PUT', '/api/collections/c', { rows: 5 }, 400],
    ['PUT', '/api/collections/c', { kee: 'a' }, 400],
    ['POST', '/api/collections/c', [1], 400],
    ['PATCH', '/api/collections/c/a', { b: 1 }, 404],
  ])('refuse what cannot be meant: %s %s %j', async (method, path, body, status) => {
    const { call, host } = await start();
    expect((await call(method, path, body)).status).toBe(status);
    expect(host.collections.list()).toEqual([]);
  });

  it('show bytes as base64', async () => {
    const { call, host } = await start();
    host.collection('c').create({ id: 'a', bytes: Buffer.from([255, 0]) });
    expect((await call('GET', '/api/collections/c')).body).toEqual([{ id: 'a', bytes: '/wA=' }]);
  });
});
