import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const uniform = { uniform: { min: '100ms', max: '300ms' } };
const mocks = [
  { id: 'fixed', match: 'fixed', delay: '250ms' },
  { id: 'range', match: 'range', delay: uniform },
  { id: 'normal', match: 'normal', delay: { lognormal: { median: '80ms', sigma: 0.4 } } },
  { id: 'bound', match: 'bound', delay: { lognormal: { median: '80ms', sigma: 0.4, max: '1s' } } },
  { id: 'quick', match: 'quick' },
];

describe('what is explained of delays', () => {
  it.each([
    ['fixed', { min_ms: 250, median_ms: 250, max_ms: 250 }],
    ['range', { min_ms: 100, median_ms: 200, max_ms: 300 }],
    ['normal', { min_ms: 0, median_ms: 80 }],
    ['bound', { min_ms: 0, median_ms: 80, max_ms: 1000 }],
  ])('of a mock is how long it may be: %s', async (id, bounds) => {
    const { call } = await start({}, { settings: { echo: { port: 0, mocks } } });
    const { body } = await call('POST', '/api/explain/echo', { method: 'SAY', path: id });
    expect(body).toMatchObject({ outcome: 'matched', mock_id: id });
    expect(body.delays).toEqual([{ source: 'mock', mock_id: id, ...bounds }]);
  });

  it('is nothing where nothing is waited for', async () => {
    const { call } = await start({}, { settings: { echo: { port: 0, mocks } } });
    for (const path of ['quick', 'nothing']) {
      const { body } = await call('POST', '/api/explain/echo', { method: 'SAY', path });
      expect(body).not.toHaveProperty('delays');
    }
  });

  it('of a fault is told as well, with a mock and without', async () => {
    const { call } = await start({}, { settings: { echo: { port: 0, mocks } } });
    const fault = { source: 'fault', min_ms: 100, median_ms: 200, max_ms: 300 };
    expect((await call('POST', '/api/fault/echo', { delay: uniform })).status).toBe(200);
    const explain = async (path: string): Promise<unknown> =>
      (await call('POST', '/api/explain/echo', { method: 'SAY', path })).body.delays;
    expect(await explain('fixed')).toEqual([
      { source: 'mock', mock_id: 'fixed', min_ms: 250, median_ms: 250, max_ms: 250 },
      fault,
    ]);
    expect(await explain('nothing')).toEqual([fault]);
    await call('POST', '/api/fault/echo', { delay: '1s', phase: 'connect' });
    expect(await explain('nothing')).toBeUndefined();
  });
});
