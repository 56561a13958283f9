import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const settings = {
  echo: {
    port: 0,
    mocks: [
      { id: 'a', match: 'x' },
      { id: 'b', match: 'y' },
    ],
  },
};
const PATH = '/api/dry-run/echo';

describe('a dry run', () => {
  it('says what a new mock would match and change, and changes nothing', async () => {
    const { call, ask } = await start({}, { settings });
    for (const word of ['x', 'y', 'z', 'z']) await ask(`SAY ${word}`);
    const { status, body } = await call('POST', PATH, { mock: { match: 'z' } });
    expect(status).toBe(200);
    expect(body).toEqual({
      looked_at: 4,
      matches: 2,
      changes: [
        { id: '3', method: 'SAY', path: 'z', before: null, after: '(this)' },
        { id: '4', method: 'SAY', path: 'z', before: null, after: '(this)' },
      ],
    });
    const named = await call('POST', PATH, { mock: { id: 'first', match: 're:.*', priority: 1 }, limit: 3 });
    expect(named.body).toMatchObject({
      looked_at: 3,
      matches: 3,
      changes: [{ before: 'b', after: 'first' }, {}, {}],
    });
    expect((await call('GET', '/api/mocks/echo')).body.map(({ id }: { id: string }) => id)).toEqual([
      'a',
      'b',
    ]);
    expect((await call('GET', '/api/calls/echo/a')).body.count).toBe(1);
    expect((await call('POST', '/api/explain/echo', { method: 'SAY', path: 'z' })).body.outcome).toBe(
      'unmatched',
    );
  });

  it('says what would change where a mock takes the place of another', async () => {
    const { call, ask } = await start({}, { settings });
    for (const word of ['x', 'z']) await ask(`SAY ${word}`);
    const { body } = await call('POST', PATH, { mock: { match: 'z' }, replaces: 'a' });
    expect(body).toEqual({
      looked_at: 2,
      matches: 1,
      changes: [
        { id: '1', method: 'SAY', path: 'x', before: 'a', after: null },
        { id: '2', method: 'SAY', path: 'z', before: null, after: 'a' },
      ],
    });
    await ask('SAY x');
    expect((await call('GET', '/api/calls/echo/a')).body.count).toBe(2);
  });

  it('refuses what creating or replacing it would refuse, with the places of the problems', async () => {
    const { call } = await start({}, { settings });
    const wrong = await call('POST', PATH, { mock: { match: 5 } });
    expect([wrong.status, wrong.body.details[0].path]).toEqual([400, '/match']);
    expect((await call('POST', PATH, { mock: { id: 'a', match: 'x' } })).status).toBe(409);
    expect((await call('POST', PATH, { mock: { match: 'x' }, replaces: 'nobody' })).status).toBe(404);
    for (const body of [{}, { mock: {}, limt: 1 }, { mock: { match: 'x' }, limit: 0 }, null, []])
      expect((await call('POST', PATH, body)).status).toBe(400);
    expect((await call('POST', '/api/dry-run/nothing', { mock: {} })).status).toBe(404);
  });
});
