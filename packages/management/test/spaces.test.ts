import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { JoinedJournal } from '../src/routes/joined-journal.js';
import { openEvents } from './support/event-reader.js';
import { start, stopAll } from './support/start.js';

afterEach(async () => {
  jest.restoreAllMocks();
  await stopAll();
});

const MOCKS = { settings: { echo: { port: 0, mocks: [{ id: 'a', match: 'x', answer: 'file' }] } } };

/** Sends a line to a port, and answers the next line. */
async function askAt(port: number, line: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8').write(`${line}\n`);
  const [answer] = (await once(socket, 'data')) as [string];
  socket.destroy();
  return answer.trim();
}

describe('spaces', () => {
  it('are made with listeners of their own, listed, shown and deleted', async () => {
    const { call } = await start({}, MOCKS);
    const made = await call('POST', '/api/spaces', { id: 't1', protocols: ['echo'], ttl: '10m', seed: 5 });
    expect(made.status).toBe(201);
    const { protocols, env, created_at: createdAt, expires_at: expiresAt } = made.body;
    expect(made.body).toMatchObject({ id: 't1', seed: 5 });
    expect(protocols.echo).toEqual({
      url: expect.stringContaining(`:${protocols.echo.port}`),
      host: expect.any(String),
      port: expect.any(Number),
    });
    expect(env.ECHO_URL).toBe(protocols.echo.url);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeGreaterThan(599_000);
    expect(await askAt(protocols.echo.port, 'say x')).toBe('file');
    expect((await call('GET', '/api/spaces')).body.map(({ id }: { id: string }) => id)).toEqual(['t1']);
    expect((await call('GET', '/api/spaces/t1')).body).toMatchObject({ id: 't1', protocols });
    expect((await call('DELETE', '/api/spaces/t1')).body).toEqual({ status: 'deleted', deleted: 't1' });
    const gone = await call('GET', '/api/spaces/t1');
    expect(gone.status).toBe(404);
    expect(gone.body.error).toMatch(/the space "t1" is gone: it was deleted at/);
    expect((await call('POST', '/api/spaces')).body.id).toMatch(/^s-[0-9a-f]{8}$/);
  });

  it('refuse what is not valid', async () => {
    const { call } = await start({}, MOCKS);
    for (const body of [
      { id: 'T 1' },
      { protocols: ['nope'] },
      { protocols: ['asleep'] },
      { ttl: 'x' },
      { x: 1 },
      [],
      5,
    ])
      expect([body, (await call('POST', '/api/spaces', body)).status]).toEqual([body, 400]);
    await call('POST', '/api/spaces', { id: 't1' });
    expect((await call('POST', '/api/spaces', { id: 't1' })).status).toBe(409);
    expect((await call('GET', '/api/spaces')).body).toHaveLength(1);
  });

  it('have the whole interface below their path, and by the header', async () => {
    const { call, ask } = await start({}, MOCKS);
    const { protocols } = (await call('POST', '/api/spaces', { id: 't1', protocols: ['echo'] })).body;
    const inSpace = { 'backlot-space': 't1' };
    const own = { id: 'own', match: 'y', answer: 'mine' };
    expect((await call('POST', '/api/spaces/t1/mocks/echo', own)).status).toBe(201);
    expect((await call('PUT', '/api/mocks/echo/a', { match: 'x', answer: 'changed' }, inSpace)).status).toBe(
      200,
    );
    expect(await askAt(protocols.echo.port, 'say y')).toBe('mine');
    expect(await askAt(protocols.echo.port, 'say x')).toBe('changed');
    expect(await ask('say x')).toBe('file');
    expect((await call('GET', '/api/mocks/echo')).body).toHaveLength(1);
    expect((await call('GET', '/api/spaces/t1/mocks/echo?limit=1')).body).toHaveLength(1);
    expect((await call('GET', '/api/mocks/echo', undefined, inSpace)).body).toHaveLength(2);
    expect((await call('GET', '/api/spaces/t1/calls/echo/own')).body).toMatchObject({
      count: 1,
      calls: [{ space: 't1', matched_id: 'own' }],
    });
    expect((await call('GET', '/api/logs/count')).body.count).toBe(1);
    expect((await call('GET', '/api/spaces/t1/logs/count')).body.count).toBe(2);
    expect((await call('POST', '/api/spaces/t1/calls/echo/own/wait', { count: 1 })).status).toBe(200);
    await call('POST', '/api/spaces/t1/state', { k: 'v' });
    expect((await call('GET', '/api/state')).body).toEqual({});
    await call('POST', '/api/spaces/t1/fault/echo', { text: 'broken' });
    expect((await call('GET', '/api/fault')).body).toEqual({});
    await call('POST', '/api/spaces/t1/clock', { freeze: true });
    expect((await call('GET', '/api/clock')).body.frozen).toBe(false);
    await call('POST', '/api/reset');
    expect((await call('GET', '/api/spaces/t1/mocks/echo')).body).toHaveLength(2);
    await call('POST', '/api/spaces/t1/reset');
    expect((await call('GET', '/api/spaces/t1/mocks/echo')).body).toHaveLength(1);
    expect((await call('GET', '/api/spaces/t1/protocols')).body[0]).toMatchObject({
      protocol: 'echo',
      port: protocols.echo.port,
    });
  });

  it('are 404 when there is none, by path and by header', async () => {
    const { call } = await start({}, MOCKS);
    for (const [path, headers] of [
      ['/api/spaces/t9', {}],
      ['/api/spaces/t9/logs', {}],
      ['/api/logs', { 'backlot-space': 't9' }],
    ] as const) {
      const { status, body } = await call('GET', path, undefined, headers);
      expect(status).toBe(404);
      expect(body.error).toContain('there is no space "t9"');
    }
    await call('POST', '/api/spaces', { id: 't1' });
    expect((await call('GET', '/api/spaces/t1/spaces')).status).toBe(404);
    expect((await call('GET', '/api/spaces/t1/nothing')).status).toBe(404);
    expect((await call('PATCH', '/api/spaces/t1/logs')).status).toBe(405);
    expect((await call('GET', '/api/spaces', undefined, { 'backlot-space': 't9' })).status).toBe(200);
  });

  it('start a kind that a change is the first to use', async () => {
    const { call } = await start({}, MOCKS);
    await call('POST', '/api/spaces', { id: 't1' });
    await call('POST', '/api/spaces/t1/mocks/echo', { match: 'z', answer: 'late' });
    const { protocols } = (await call('GET', '/api/spaces/t1')).body;
    expect(await askAt(protocols.echo.port, 'say z')).toBe('late');
  });

  it('have a stream of their log, which ends with them', async () => {
    const { call, url, ask } = await start({}, MOCKS);
    const { protocols } = (await call('POST', '/api/spaces', { id: 't1', protocols: ['echo'] })).body;
    const reader = await openEvents(`${url}/api/spaces/t1/logs/stream`);
    await ask('say x');
    await askAt(protocols.echo.port, 'say y');
    let data: string | undefined;
    while (data === undefined) ({ data } = await reader.next());
    expect(JSON.parse(data)).toMatchObject({ space: 't1', path: expect.stringContaining('y') });
    const stream = await fetch(`${url}/api/spaces/t1/logs/stream`);
    const closed = stream.text();
    await call('DELETE', '/api/spaces/t1');
    await expect(closed).rejects.toThrow();
    reader.close();
  });

  it('have entries in one list, in the order in which they appeared, with those of the main world when all are asked for', async () => {
    const { call, ask } = await start({}, MOCKS);
    const ports: Record<string, number> = {};
    for (const id of ['t1', 't2', 'u1'])
      ports[id] = (await call('POST', '/api/spaces', { id, protocols: ['echo'] })).body.protocols.echo.port;
    const ports1 = ports['t1'] ?? 0;
    // A clock that is put back changes no order.
    await call('POST', '/api/spaces/t2/clock', { set: '2000-01-01T00:00:00Z' });
    await askAt(ports1, 'say a');
    await ask('say b');
    await askAt(ports['t2'] ?? 0, 'say c');
    await askAt(ports['u1'] ?? 0, 'say d');
    await askAt(ports1, 'say x');
    await ask('say x');
    const shown = async (query: string): Promise<string[]> =>
      (await call('GET', `/api/logs?${query}`)).body.map(
        ({ space = 'main', path }: { space?: string; path: string }) => `${space} ${path}`,
      );
    expect(await shown('')).toEqual(['main b', 'main x']);
    expect(await shown('space=t1')).toEqual(['t1 a', 't1 x']);
    expect(await shown('space=*')).toEqual(['t1 a', 't2 c', 'u1 d', 't1 x']);
    expect(await shown('space=t*')).toEqual(['t1 a', 't2 c', 't1 x']);
    expect(await shown('space=')).toEqual(['t1 a', 'main b', 't2 c', 'u1 d', 't1 x', 'main x']);
    expect(await shown('space=*&limit=2')).toEqual(['u1 d', 't1 x']);
    expect(await shown('space=&limit=3&path=x')).toEqual(['t1 x', 'main x']);
    expect(await shown('space=&matched_id=a')).toEqual(['t1 x', 'main x']);
    expect(await shown('space=t1&after=1')).toEqual(['t1 x']);
    const count = async (query: string): Promise<unknown> =>
      (await call('GET', `/api/logs/count?${query}`)).body;
    expect(await count('space=t1')).toEqual({ count: 2 });
    expect(await count('space=*')).toEqual({ count: 4 });
    expect(await count('space=&matched_id=a')).toEqual({ count: 2 });
    expect(await count('space=&path=x')).toEqual({ count: 2, complete: false });
    expect(await count('space=*&unmatched=true')).toEqual({ count: 3, complete: false });
    // Within a space there is only its own log.
    expect((await call('GET', '/api/spaces/t1/logs?space=*')).body).toHaveLength(2);
    expect((await call('GET', '/api/spaces/t1/logs?space=t2')).body).toEqual([]);
    const after = await call('GET', '/api/logs?space=*&after=1');
    expect([after.status, after.body.error]).toEqual([400, expect.stringContaining('name one space')]);
    expect((await call('GET', '/api/logs?space=re:(')).status).toBe(400);
    expect((await call('GET', '/api/logs?space=t9')).status).toBe(404);
    await call('DELETE', '/api/spaces/t2');
    expect((await call('GET', '/api/logs?space=t2')).body.error).toMatch(/"t2" is gone: it was deleted at/);
    expect((await call('GET', '/api/logs/stream?space=t2')).status).toBe(404);
    expect(await shown('space=*')).toEqual(['t1 a', 'u1 d', 't1 x']);
  });

  it('are followed together, also those that come later, and one by one until they end', async () => {
    const { call, url, ask } = await start({}, MOCKS);
    const portOf = async (id: string): Promise<number> =>
      (await call('POST', '/api/spaces', { id, protocols: ['echo'] })).body.protocols.echo.port;
    const first = await portOf('t1');
    const all = await openEvents(`${url}/api/logs/stream?space=`, { 'Last-Event-ID': '1' });
    const some = await openEvents(`${url}/api/logs/stream?space=t*&path=x`);
    const one = await fetch(`${url}/api/logs/stream?space=t1`);
    const second = await portOf('t2');
    await askAt(first, 'say a');
    await askAt(second, 'say x');
    await ask('say x');
    const next = async (reader: typeof all): Promise<string> => {
      const { id, data = '' } = await reader.next();
      const { space = 'main', path } = JSON.parse(data);
      return `${id ?? ''}${space} ${path}`;
    };
    expect([await next(all), await next(all), await next(all)]).toEqual(['t1 a', 't2 x', 'main x']);
    expect(await next(some)).toBe('t2 x');
    await call('DELETE', '/api/spaces/t1');
    expect(await one.text()).toMatch(/^id: 1\ndata: .*"space":"t1".*\n\n$/);
    await askAt(second, 'say x');
    expect([await next(all), await next(some)]).toEqual(['t2 x', 't2 x']);
    all.close();
    some.close();
  });

  it('are left by who has read their entries', async () => {
    const { call, host } = await start({}, MOCKS);
    await call('POST', '/api/spaces', { id: 't1' });
    const space = host.spaces.get('t1');
    const forget = jest.fn();
    const noted = jest.spyOn(space, 'onEnd').mockReturnValue(forget);
    jest.spyOn(host.spaces, 'list').mockReturnValue([space]);
    const leave = new JoinedJournal(host, () => true).subscribe({}, () => undefined);
    expect([noted.mock.calls.length, forget.mock.calls.length]).toEqual([1, 0]);
    leave();
    expect(forget).toHaveBeenCalledTimes(1);
  });

  it('need the token like everything else', async () => {
    const { call } = await start({ token: 'secret' }, MOCKS);
    expect((await call('POST', '/api/spaces', { id: 't1' })).status).toBe(401);
    expect((await call('GET', '/api/spaces/t9/logs')).status).toBe(401);
  });
});
