import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const settings = { settings: { echo: { port: 0, mocks: [{ id: 'm', match: 'x', answer: 'usual' }] } } };
const scenario = {
  id: 's',
  patches: [{ mock_id: 'm', body: 'patched' }],
  faults: { echo: { text: 'from scenario', error_rate: 0 } },
};

describe('scenarios', () => {
  it('are created, read, replaced and deleted', async () => {
    const { call } = await start({}, settings);
    const created = await call('POST', '/api/scenarios', scenario);
    expect([created.status, created.body]).toEqual([201, { ...scenario, active: false }]);
    expect((await call('POST', '/api/scenarios', scenario)).status).toBe(409);
    expect((await call('GET', '/api/scenarios')).body).toEqual([{ ...scenario, active: false }]);
    expect((await call('GET', '/api/scenarios/s')).body).toEqual({ ...scenario, active: false });
    const replaced = await call('PUT', '/api/scenarios/s', { ...created.body, name: 'S' });
    expect([replaced.status, replaced.body.name]).toEqual([200, 'S']);
    expect((await call('PUT', '/api/scenarios/none', {})).status).toBe(404);
    expect((await call('POST', '/api/scenarios', { id: 'w', patches: 7 })).status).toBe(400);
    expect((await call('POST', '/api/scenarios', { id: 'w', faults: { nosuch: {} } })).status).toBe(400);
    expect((await call('DELETE', '/api/scenarios/s')).body).toEqual({ status: 'deleted', deleted: 's' });
    expect((await call('DELETE', '/api/scenarios/s')).status).toBe(404);
    expect((await call('GET', '/api/scenarios/s')).status).toBe(404);
  });

  it('are refused for what is wrong with a patch, also before its mock is there', async () => {
    const { call } = await start({}, settings);
    const file = { file: '/etc/passwd' };
    const answer = await call('POST', '/api/scenarios', {
      id: 'w',
      patches: [
        { mock_id: 'later', delay: 'soon' },
        { mock_id: 'later', body: file },
        { mock_id: 'later', body: { dir: '/etc' } },
        { mock_id: 'm', merge: { response: { body: file }, list: [{ body: { dir: 'x' } }] } },
      ],
    });
    expect([answer.status, answer.body.details.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      [
        '/patches/0/delay',
        '/patches/1/body',
        '/patches/2/body',
        '/patches/3/merge/response/body',
        '/patches/3/merge/list/0/body',
      ],
    ]);
    const fitting = { id: 'w', patches: [{ mock_id: 'later', merge: { match: { body: 'x', file: 'y' } } }] };
    expect((await call('POST', '/api/scenarios', fitting)).status).toBe(201);
    expect((await call('POST', '/api/scenarios', [])).body.details).toHaveLength(1);
  });

  it.each(['null', 'true', '0', '"text"', '[]', '[null]'])('are refused when they are %s', async (body) => {
    const { call } = await start({}, settings);
    await call('POST', '/api/scenarios', scenario);
    for (const [method, path] of [
      ['POST', '/api/scenarios'],
      ['PUT', '/api/scenarios/s'],
    ] as const) {
      const answer = await call(method, path, body);
      expect([method, answer.status, answer.body]).toEqual([
        method,
        400,
        { error: expect.stringContaining('must be an object'), details: [expect.anything()] },
      ]);
    }
    expect((await call('GET', '/api/scenarios')).body).toEqual([{ ...scenario, active: false }]);
  });

  it('are activated with a warning when they patch a mock that is not there', async () => {
    const { call } = await start({}, settings);
    await call('POST', '/api/scenarios', {
      id: 'lost',
      patches: [{ protocol: 'echo', mock_id: 'nowhere', merge: { response: 'x' } }],
    });
    const { status, body } = await call('POST', '/api/scenarios/lost/activate');
    expect(status).toBe(200);
    expect(body).toEqual({
      activated: 'lost',
      active: ['lost'],
      warnings: [expect.stringContaining(`/patches/0: there is no mock "nowhere" of echo`)],
    });
  });

  it('are activated and deactivated, both ways', async () => {
    const { call, ask } = await start({}, settings);
    await call('POST', '/api/scenarios', scenario);
    await call('POST', '/api/scenarios', { id: 'other' });
    expect((await call('GET', '/api/scenarios/active')).body).toEqual({ active: [], scenarios: [] });
    await call('POST', '/api/scenarios/other/activate');
    const active = await call('POST', '/api/scenarios/s/activate');
    expect([active.status, active.body]).toEqual([200, { activated: 's', active: ['other', 's'] }]);
    expect(await ask('SAY x')).toBe('patched');
    const list = await call('GET', '/api/scenarios/active');
    expect(list.body).toMatchObject({
      active: ['other', 's'],
      scenarios: [{ id: 'other', active: true }, { id: 's' }],
    });
    const off = await call('DELETE', '/api/scenarios/s/activate');
    expect([off.status, off.body]).toEqual([200, { deactivated: 's', active: ['other'] }]);
    expect(await ask('SAY x')).toBe('usual');
    expect((await call('POST', '/api/scenarios/other/deactivate')).body).toEqual({
      deactivated: 'other',
      active: [],
    });
    expect((await call('POST', '/api/scenarios/other/deactivate')).status).toBe(200);
    for (const [method, path] of [
      ['POST', 'activate'],
      ['DELETE', 'activate'],
      ['POST', 'deactivate'],
    ]) {
      expect((await call(method ?? '', `/api/scenarios/none/${path}`)).status).toBe(404);
    }
  });
});

describe('faults', () => {
  it('are set, read, combined and cleared', async () => {
    const { call, ask } = await start({}, settings);
    expect((await call('GET', '/api/fault')).body).toEqual({});
    expect((await call('GET', '/api/fault/echo')).body).toBeNull();
    expect((await call('GET', '/api/fault/echo/effective')).body).toBeNull();
    const set = await call('POST', '/api/fault/echo', { text: 'no', enabled: true });
    expect([set.status, set.body.text]).toEqual([200, 'no']);
    expect(await ask('SAY x')).toBe('no');
    expect((await call('GET', '/api/fault/echo')).body).toEqual(set.body);
    expect((await call('GET', '/api/fault')).body).toEqual({ echo: set.body });
    await call('POST', '/api/scenarios', scenario);
    await call('POST', '/api/scenarios/s/activate');
    expect((await call('GET', '/api/fault/echo/effective')).body).toMatchObject({
      text: 'from scenario',
      error_rate: 0,
    });
    const cleared = await call('DELETE', '/api/fault/echo');
    expect([cleared.status, cleared.body]).toEqual([200, { status: 'cleared' }]);
    expect((await call('GET', '/api/fault/echo')).body).toBeNull();
    await call('POST', '/api/fault/echo', {});
    expect((await call('DELETE', '/api/fault')).body).toEqual({ status: 'cleared' });
    expect((await call('GET', '/api/fault')).body).toEqual({});
  });

  it('are refused when they are not valid', async () => {
    const { call } = await start({}, settings);
    for (const wrong of [
      { other: 1 },
      { error_rate: 2 },
      { delay: 5 },
      { delay: '1s', delay_range: { min: '1s', max: '2s' } },
      [],
      'x',
    ]) {
      expect([wrong, (await call('POST', '/api/fault/echo', JSON.stringify(wrong))).status]).toEqual([
        wrong,
        400,
      ]);
    }
    expect((await call('POST', '/api/fault/echo')).status).toBe(400);
    expect((await call('POST', '/api/fault/plain-text', {})).status).toBe(404);
    expect((await call('GET', '/api/fault')).body).toEqual({});
  });
});
