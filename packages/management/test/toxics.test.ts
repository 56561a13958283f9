import { afterEach, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

it('toxics are refused where there is nothing to take them, and looked for where they are', async () => {
  const { call } = await start();
  expect((await call('GET', '/api/toxics')).body).toEqual({});
  expect((await call('GET', '/api/toxics/echo')).body).toEqual([]);
  expect((await call('GET', '/api/toxics/echo/effective')).body).toEqual([]);
  const refused = await call('POST', '/api/toxics/echo', { type: 'latency' });
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.objectContaining({ error: 'the service of echo takes no toxics' }),
  ]);
  expect((await call('POST', '/api/toxics/asleep', { type: 'latency' })).status).toBe(503);
  expect((await call('POST', '/api/toxics/nobody', { type: 'latency' })).status).toBe(404);
  for (const method of ['GET', 'DELETE'])
    expect((await call(method, '/api/toxics/echo/none')).status).toBe(404);
  expect((await call('PUT', '/api/toxics/echo/none', { type: 'down' })).status).toBe(404);
  expect((await call('DELETE', '/api/toxics/echo')).body).toEqual({ status: 'cleared' });
  expect((await call('DELETE', '/api/toxics')).body).toEqual({ status: 'cleared' });
});
