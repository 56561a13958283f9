import { afterEach, describe, expect, it } from '@jest/globals';
import { allRoutes } from '../src/index.js';
import { start, stopAll, type Management } from './support/start.js';
import { startReplicas, type Replicas } from './support/replicas.js';

afterEach(stopAll);

/** What is to be the same on all replicas. */
const PLACES = [
  'mocks/echo',
  'scenarios',
  'state',
  'toxics',
  'collections',
  'collections/c',
  'clock',
  'fault',
];

async function pictureOf({ call }: Management, base = '/api'): Promise<object> {
  const all: Record<string, unknown> = {};
  for (const place of PLACES) {
    const { status, body } = await call('GET', `${base}/${place}`);
    expect([place, status === 200 || place === 'collections/c']).toEqual([place, true]);
    // How far it is ahead depends on when it is asked; so does the time, unless it stands.
    all[place] =
      place === 'clock' ? { frozen: body.frozen, ...(body.frozen ? { now: body.now } : {}) } : body;
  }
  return all;
}

async function expectSame({ all }: Replicas, base?: string): Promise<object> {
  const pictures = await Promise.all(all.map((one) => pictureOf(one, base)));
  for (const picture of pictures) expect(picture).toEqual(pictures[0]);
  return pictures[0] ?? {};
}

describe('changes of replicas', () => {
  it('are commands that give the same everywhere, with the ids that are made', async () => {
    const replicas = await startReplicas(3);
    const [one, two, three] = replicas.all as [Management, Management, Management];
    const made = await one.call('POST', '/api/mocks/echo', [
      { match: 'a', answer: 'x' },
      { id: 'b', match: 'b' },
    ]);
    expect(made.status).toBe(201);
    expect(made.headers.get('backlot-revision')).toBe('1');
    const [{ id }] = made.body;
    expect(id).toMatch(/^echo-[0-9a-f]{12}$/);
    expect(replicas.commands[0]).toEqual({
      route: 'createEchoMock',
      params: {},
      query: {},
      body: [
        { id, match: 'a', answer: 'x' },
        { id: 'b', match: 'b' },
      ],
    });
    expect((await two.call('PUT', '/api/mocks/echo/b', { match: 'c' })).headers.get('backlot-revision')).toBe(
      '2',
    );
    await three.call('POST', '/api/scenarios', { patches: [] });
    await one.call('POST', '/api/state', { a: '1' });
    await two.call('POST', '/api/collections/c', { name: 'row' });
    await three.call('PUT', '/api/collections/c', [{ name: 'row' }, { name: 'other' }]);
    await one.call('PUT', '/api/collections/d', { key: 'k', rows: [{ name: 'row' }] });
    await two.call('POST', '/api/clock', { freeze: true, advance: '1h' });
    const frozen = (await one.call('GET', '/api/clock')).body;
    expect(frozen.frozen).toBe(true);
    expect(await three.ask('say a')).toBe('x');
    const picture = await expectSame(replicas);
    expect(JSON.stringify(picture)).toContain(id);
    const { body: snapshot } = await one.call('POST', '/api/snapshots', { name: 'before' });
    await two.call('DELETE', `/api/mocks/echo/${id}`);
    expect((await three.call('POST', `/api/snapshots/${snapshot.id}/restore`)).status).toBe(200);
    await expectSame(replicas);
    expect(await two.ask('say a')).toBe('x');
    await one.call('POST', '/api/reset');
    await expectSame(replicas);
    expect(replicas.submissions.every(({ consistency }) => consistency === 'all')).toBe(true);
  });

  it('of spaces are made in the space of each', async () => {
    const replicas = await startReplicas(2);
    const [one, two] = replicas.all as [Management, Management];
    const { id } = (await one.call('POST', '/api/spaces')).body;
    expect(
      (await two.call('POST', `/api/spaces/${id}/mocks/echo?consistency=local`, { match: 'in' })).status,
    ).toBe(201);
    expect((await one.call('POST', '/api/state', { k: 'v' }, { 'backlot-space': id })).status).toBe(200);
    expect(replicas.commands.map(({ space }) => space)).toEqual([undefined, id, id]);
    expect(replicas.submissions[1]).toEqual({ consistency: 'local' });
    expect(JSON.stringify(await expectSame(replicas, `/api/spaces/${id}`))).toContain('"in"');
    expect((await one.call('GET', '/api/mocks/echo')).body).toEqual([]);
    await two.call('DELETE', `/api/spaces/${id}`);
    expect((await one.call('GET', `/api/spaces/${id}`)).status).toBe(404);
  });

  it('are answered as they are by a single server when they are refused', async () => {
    const { all, commands } = await startReplicas(2);
    const [one] = all as [Management];
    expect((await one.call('DELETE', '/api/mocks/echo/none')).status).toBe(404);
    expect((await one.call('POST', '/api/mocks/echo', { match: 5 })).status).toBe(400);
    // What the router refuses is no command.
    const before = commands.length;
    expect((await one.call('POST', '/api/clock', { nope: 1 })).status).toBe(400);
    expect((await one.call('POST', '/api/clock', { freeze: true, advance: 'x' })).status).toBe(400);
    expect((await one.call('POST', '/api/reset?consistency=some')).status).toBe(400);
    expect(commands).toHaveLength(before);
  });

  it('carry the revision that they expect', async () => {
    const { all, commands } = await startReplicas(1);
    const [one] = all as [Management];
    await one.call('POST', '/api/state', { a: '1' }, { 'if-match': '"7"' });
    await one.call('POST', '/api/state', { a: '1' }, { 'if-match': '8' });
    expect(commands.map(({ expect: expected }) => expected)).toEqual([7, 8]);
    const wrong = await one.call('POST', '/api/state', { a: '1' }, { 'if-match': 'W/"a"' });
    expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('is no revision')]);
    expect((await one.call('GET', '/api/state', undefined, { 'if-match': '7' })).status).toBe(400);
  });
});

describe('reads of replicas', () => {
  it('may ask for a revision, and have one', async () => {
    const { all } = await startReplicas(2);
    const [one, two] = all as [Management, Management];
    await one.call('POST', '/api/state', { a: '1' });
    const read = await two.call('GET', '/api/state?at_least=1');
    expect([read.status, read.headers.get('backlot-revision')]).toEqual([200, '1']);
    expect((await two.call('GET', '/api/state?at_least=2')).status).toBe(504);
    expect((await two.call('GET', '/api/state?at_least=x')).status).toBe(400);
  });

  it('of what one replica has say so, or are refused', async () => {
    const { all } = await startReplicas(2);
    const [one, two] = all as [Management, Management];
    await one.ask('say a');
    const places = ['GET /api/mocks/echo?unused=true', 'POST /api/emit/echo'];
    for (const place of places) {
      const [method = '', path = ''] = place.split(' ');
      const { status, body } = await two.call(method, path, method === 'POST' ? {} : undefined);
      expect([place, status, body.error]).toEqual([place, 400, expect.stringContaining('consistency=local')]);
    }
    expect((await one.call('GET', '/api/logs/count?consistency=local')).body).toEqual({ count: 1 });
    expect((await two.call('GET', '/api/logs/count?consistency=local')).body).toEqual({ count: 0 });
    // What is cleared is cleared everywhere.
    expect((await two.call('DELETE', '/api/logs')).status).toBe(200);
    expect((await one.call('GET', '/api/logs/count?consistency=local')).body).toEqual({ count: 0 });
  });

  it('say whether a replica is ready', async () => {
    const { all } = await startReplicas(2);
    const answers = await Promise.all(all.map(({ call }) => call('GET', '/api/ready')));
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { status: 'ready' }],
      [503, { status: 'joining' }],
    ]);
  });
});

describe('routes of replicas', () => {
  it('take the parameters of their reach alone', async () => {
    const { all } = await startReplicas(1);
    const [one] = all as [Management];
    expect((await one.call('GET', '/api/scenarios?consistency=local')).status).toBe(400);
    expect((await one.call('POST', '/api/reset?at_least=1')).status).toBe(400);
    const { paths } = (await one.call('GET', '/api/openapi.json')).body;
    const names = (path: string, method: string): string =>
      JSON.stringify(paths[path][method].parameters ?? []);
    expect(names('/api/reset', 'post')).toMatch(/Consistency/);
    expect(names('/api/state', 'get')).toMatch(/at_?least/i);
    expect(names('/api/logs', 'get')).toMatch(/consistency.*at_?least|at_?least.*consistency/i);
  });

  it('refuse files, which no log takes, and say what would be made of them', async () => {
    const { all, commands } = await startReplicas(2);
    const [one] = all as [Management];
    const file = { name: 'a.lines', content: 'nothing that is known' };
    const refused = await one.call('POST', '/api/import', file);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.stringContaining('backlot import --out'),
    ]);
    const tried = await one.call('POST', '/api/import?dry_run=true', file);
    expect([tried.status, tried.body.error]).toEqual([400, expect.stringContaining('format')]);
    expect(commands).toEqual([]);
  });
});

describe('a single server', () => {
  it('has no revisions, is ready, and makes no change that somebody guards', async () => {
    const { call, host } = await start({ token: 'secret' });
    const auth = { authorization: 'Bearer secret' };
    expect((await call('GET', '/api/ready')).body).toEqual({ status: 'ready' });
    const answer = await call('GET', '/api/state', undefined, auth);
    expect(answer.headers.get('backlot-revision')).toBeNull();
    const guarded = await call('POST', '/api/state', { a: '1' }, { ...auth, 'if-match': '"1"' });
    expect([guarded.status, guarded.body.error]).toEqual([412, expect.stringContaining('no revisions')]);
    expect(host.state.all()).toEqual({});
    expect((await call('GET', '/api/state?at_least=1', undefined, auth)).status).toBe(400);
    expect(allRoutes(host).some(({ query }) => query !== undefined && 'at_least' in query)).toBe(false);
  });
});
