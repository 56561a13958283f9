import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

describe('connections', () => {
  it('are none of a service that does not show any, and closing says how many', async () => {
    const { call } = await start();
    expect((await call('GET', '/api/connections/echo')).body).toEqual([]);
    const closed = await call('POST', '/api/connections/echo/close', { how: 'reset' });
    expect([closed.status, closed.body]).toEqual([200, { status: 'closed', closed: 0 }]);
  });

  it('are refused for what is not enabled, and closed only in a way that there is', async () => {
    const { call } = await start();
    expect((await call('GET', '/api/connections/asleep')).status).toBe(503);
    expect((await call('POST', '/api/connections/asleep/close', {})).status).toBe(503);
    expect((await call('POST', '/api/connections/echo/close', { how: 'slowly' })).status).toBe(400);
    expect((await call('POST', '/api/connections/echo/close', { name: 'a' })).status).toBe(400);
    expect((await call('GET', '/api/connections/nobody')).status).toBe(404);
  });
});
