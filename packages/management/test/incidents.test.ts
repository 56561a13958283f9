import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

describe('incidents', () => {
  it('are listed, begun with fields, and end by themselves, by the clock', async () => {
    const { call, ask } = await start();
    const [first] = (await call('GET', '/api/incidents')).body;
    expect(first).toMatchObject({
      name: 'echo-outage',
      protocols: ['echo'],
      lasts: '1m',
      fields: { properties: { for: { type: 'string', default: '1m' }, down: { type: 'string' } } },
    });
    expect(first.running).toBeUndefined();
    await call('POST', '/api/clock', { freeze: true });
    await call('POST', '/api/fault/echo', { text: 'direct', times: 1 });
    const begun = await call('POST', '/api/incidents/echo-outage', { for: '40s', text: 'gone' });
    expect(begun.status).toBe(200);
    expect(begun.body.running).toMatchObject({ fields: { text: 'gone' }, stages: { echo: 1 } });
    expect(await ask('SAY hello')).toBe('gone');
    expect((await call('GET', '/api/fault/echo/effective')).body).toEqual({ text: 'gone' });
    await call('POST', '/api/clock', { advance: '11s' });
    expect(await ask('SAY hello')).toBe('nearly');
    await call('POST', '/api/clock', { advance: '5s' });
    expect((await call('GET', '/api/incidents/echo-outage')).body.running.stages).toEqual({ echo: 1 });
    await call('POST', '/api/clock', { advance: '24s' });
    expect((await call('GET', '/api/incidents/echo-outage')).body.running).toBeUndefined();
    expect(await ask('SAY hello')).toBe('direct');
  });

  it('are ended by hand, by a reset and by a restored snapshot', async () => {
    const { call } = await start();
    const runs = async (): Promise<boolean> =>
      (await call('GET', '/api/incidents/echo-outage')).body.running !== undefined;
    const { id } = (await call('POST', '/api/snapshots', {})).body;
    const ends: [string, string][] = [
      ['DELETE', '/api/incidents/echo-outage'],
      ['DELETE', '/api/incidents'],
      ['POST', '/api/reset'],
      ['POST', `/api/snapshots/${id}/restore`],
    ];
    for (const [method, path] of ends) {
      await call('POST', '/api/incidents/echo-outage');
      expect(await runs()).toBe(true);
      expect((await call(method, path)).status).toBe(200);
      expect([path, await runs()]).toEqual([path, false]);
      expect((await call('GET', '/api/fault/echo/effective')).body).toBeNull();
    }
  });

  it('stand beside what was set and what scenarios have, each with what it comes from', async () => {
    const { call } = await start();
    expect((await call('GET', '/api/troubles')).body).toEqual([]);
    await call('POST', '/api/fault/echo', { text: 'direct' });
    await call('POST', '/api/scenarios', { id: 'slow', faults: { echo: { delay: '10ms' } } });
    await call('POST', '/api/scenarios/slow/activate');
    await call('POST', '/api/incidents/echo-outage', { text: 'gone' });
    const set = { protocol: 'echo', source: 'set' };
    const scenario = { protocol: 'echo', source: 'scenario', id: 'slow' };
    expect((await call('GET', '/api/troubles')).body).toEqual([
      { ...set, in_force: false, fault: { text: 'direct' } },
      { ...scenario, in_force: false, fault: { delay: '10ms' } },
      {
        ...{ protocol: 'echo', source: 'incident', id: 'echo-outage' },
        in_force: true,
        fault: { text: 'gone' },
      },
    ]);
    await call('DELETE', '/api/incidents');
    const { body } = await call('GET', '/api/troubles');
    expect(body.map((one: { in_force: boolean }) => one.in_force)).toEqual([true, true]);
  });

  it('are refused with what would be right', async () => {
    const { call } = await start();
    const refused = async (name: string, body: unknown): Promise<[number, string]> => {
      const { status, body: answer } = await call('POST', `/api/incidents/${name}`, body);
      return [status, answer.error];
    };
    expect(await refused('outage', {})).toEqual([404, 'no incident "outage"; there are echo-outage']);
    expect(await refused('echo-outage', { until: 1 })).toEqual([
      400,
      expect.stringContaining('incident echo-outage/until: '),
    ]);
    expect(await refused('echo-outage', { for: 'soon' })).toEqual([
      400,
      expect.stringContaining('incident echo-outage/for: '),
    ]);
    expect(await refused('echo-outage', { for: '0s' })).toEqual([
      400,
      'incident echo-outage/for: must be more than 0, got "0s"',
    ]);
    expect(await refused('echo-outage', { down: '1ms' })).toEqual([
      400,
      'incident echo-outage/stages/0/lasts: must be at least 100ms, got "1ms"',
    ]);
    expect((await call('DELETE', '/api/incidents/none')).status).toBe(404);
    expect((await call('POST', '/api/incidents/echo-outage', [1])).status).toBe(400);
  });

  it('of a space leave the others alone', async () => {
    const { call, ask } = await start();
    await call('POST', '/api/spaces', { id: 'a' });
    await call('POST', '/api/spaces/a/incidents/echo-outage', {});
    expect((await call('GET', '/api/spaces/a/fault/echo/effective')).body).toEqual({ text: 'out' });
    expect((await call('GET', '/api/incidents/echo-outage')).body.running).toBeUndefined();
    expect(await ask('SAY hello')).not.toBe('out');
  });
});
