import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, isBacklotError, type CountedMock, type Host, type HostOptions } from '../src/index.js';
import { message, probe } from './support.js';

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

interface Replica {
  readonly host: Host;
  readonly ask: (path: string) => Promise<string>;
  /** The mocks that answer in mode `all`, with the numbers of their matches. */
  readonly matchesOf: (path: string) => Promise<readonly string[]>;
}

async function start(
  replica: string | undefined,
  options: Partial<HostOptions> = {},
  made = probe(),
): Promise<Replica> {
  const host = await createHost({
    ...{ seed: 1, protocols: [made.protocol], ...options },
    ...(replica === undefined ? {} : { replica }),
  });
  hosts.push(host);
  await host.start();
  return {
    host,
    async matchesOf(path) {
      const exchange = made.context().receive(message(path));
      const outcome = await exchange.resolve();
      exchange.done({ status: outcome.type });
      return outcome.type === 'all' ? outcome.matches.map(({ mock, call }) => `${mock.id} ${call}`) : [];
    },
    async ask(path) {
      const exchange = made.context().receive(message(path));
      const outcome = await exchange.resolve();
      exchange.done({ status: outcome.type });
      return outcome.type === 'matched' ? String(outcome.mock.id) : outcome.type;
    },
  };
}

/** The details of what was thrown, as `place: text`. */
async function problemsOf(what: () => unknown): Promise<readonly string[]> {
  try {
    await what();
  } catch (thrown) {
    if (!isBacklotError(thrown)) throw thrown;
    return (thrown.details ?? [{ path: '-', message: thrown.message }]).map(
      ({ path, message: text }) => `${path}: ${text}`,
    );
  }
  return [];
}

/** What replicas would have to share, by the field that says so. */
const SHARED: Readonly<Record<string, object>> = {
  times: { times: 2 },
  set_state: { set_state: { a: 'b' } },
  collection: { collection: { name: 'c', create: true } },
  once: { once: { key: 'k' } },
  emit: { emit: [{ to: 'probe/a', data: 'x' }] },
};

describe('a host that is one of several', () => {
  it.each(Object.keys(SHARED))('refuses mocks with %s, unless they are for each replica', async (field) => {
    const { host } = await start('one');
    const { mocks } = host.kind('probe');
    const mock = { id: 'm', match: 'x', ...SHARED[field] };
    const [problem] = await problemsOf(() => mocks.create(mock));
    expect(problem).toMatch(new RegExp(`^/${field}: .*which replicas do not share; .scope: replica. lets`));
    expect(mocks.list()).toEqual([]);
    mocks.create({ id: 'm', match: 'x' });
    expect(await problemsOf(() => mocks.replace('m', mock))).toHaveLength(1);
    expect(mocks.replace('m', { ...mock, scope: 'replica' })).toMatchObject({ scope: 'replica' });
    // A single server takes them with and without it.
    const { host: alone } = await start(undefined);
    alone.kind('probe').mocks.create({ ...mock, scope: 'replica' });
    alone.kind('probe').mocks.create({ ...mock, id: 'other' });
  });

  it('counts matches together with the others where it can', async () => {
    const given: string[] = [];
    let isGone = false;
    const sharedCounts = {
      revision: 3,
      count({ id, since, limit }: CountedMock) {
        given.push(`${id} ${since}`);
        if (isGone) return Promise.reject(new Error('nobody answers'));
        // Another one counts as well.
        const number = 2 * given.length;
        return Promise.resolve(number > limit ? undefined : number);
      },
      read: () => Promise.reject(new Error('nobody asks')),
    };
    const { host, ask } = await start('one', { sharedCounts });
    const { mocks } = host.kind('probe');
    mocks.create({ id: 'm', match: 'x', times: 3 });
    mocks.create({ id: 'n', match: 'x' });
    expect([await ask('x'), await ask('x'), await ask('x')]).toEqual(['m', 'n', 'n']);
    // That it is used up is known, and plain mocks ask nobody.
    expect(given).toEqual(['m 3', 'm 3']);
    expect(host.kind('probe').calls.items('m').count).toBe(1);
    sharedCounts.revision = 4;
    given.length = 0;
    host.reset();
    mocks.create({ id: 'm', match: 'x', times: 3 });
    isGone = true;
    expect(await ask('x')).toBe('fault');
    expect(given).toEqual(['m 4']);
    expect(host.kind('probe').calls.items('m').count).toBe(0);
    const [entry] = host.journal.list({ limit: 1 });
    expect(JSON.stringify(entry)).toContain('the matches of mock \\"m\\" cannot be counted: nobody answers');
    // A mock of this replica alone asks nobody.
    mocks.replace('m', { match: 'x', times: 3, scope: 'replica' });
    expect(await ask('x')).toBe('m');
  });

  it('counts each of several matches, and answers with all that are left', async () => {
    const counts = new Map([['b', 1]]);
    const sharedCounts = {
      revision: 1,
      count({ id, limit }: CountedMock) {
        const before = counts.get(id) ?? 0;
        counts.set(id, Math.min(limit, before + 1));
        return Promise.resolve(before < limit ? before + 1 : undefined);
      },
      read: () => Promise.reject(new Error('nobody asks')),
    };
    const made = probe('probe', { mode: 'all' });
    const { host, ask, matchesOf } = await start('one', { sharedCounts, protocols: [made.protocol] }, made);
    for (const [id, times] of [
      ['a', 2],
      ['b', 1],
      ['c', undefined],
    ] as const)
      host.kind('probe').mocks.create({ id, match: 'x', ...(times === undefined ? {} : { times }) });
    // Another host has used the second one up.
    expect(await matchesOf('x')).toEqual(['a 1', 'c 1']);
    expect(await matchesOf('x')).toEqual(['a 2', 'c 2']);
    expect(await matchesOf('x')).toEqual(['c 3']);
    expect(await ask('y')).toBe('unmatched');
  });

  it.each([{ isFollowed: true }, { mode: 'items' as const }])(
    'refuses mocks that count where their kind cannot wait: %j',
    async (more) => {
      const sharedCounts = { revision: 1, count: () => Promise.resolve(1), read: () => Promise.resolve(0) };
      const made = probe();
      const protocol = { ...made.protocol, mocks: { ...made.protocol.mocks, ...more } };
      const { host } = await start('one', { sharedCounts, protocols: [protocol] });
      const mock = { id: 'm', match: 'x', times: 2 };
      expect(await problemsOf(() => host.kind('probe').mocks.create(mock))).toEqual([
        expect.stringMatching(/^\/times: counts its matches/),
      ]);
    },
  );

  it('refuses templates that count, and those of a configuration', async () => {
    const { host } = await start('one');
    const counting = { id: 'n', match: 'x', answer: '{{seq "a"}}' };
    expect(await problemsOf(() => host.kind('probe').mocks.create(counting))).toEqual([
      expect.stringContaining('has a template with "seq"'),
    ]);
    const settings = { probe: { mocks: [{ id: 'a', match: 'x', times: 1 }] } };
    expect(await problemsOf(() => start('one', { settings }))).toEqual([
      expect.stringMatching(/^\/settings\/probe\/mocks\/0\/times: counts its matches/),
    ]);
  });

  it('refuses patches of scenarios that would make a mock count', async () => {
    const { host } = await start('one');
    host.kind('probe').mocks.create({ id: 'm', match: 'x' });
    const scenario = { id: 's', patches: [{ mock_id: 'm', merge: { times: 1 } }] };
    expect(await problemsOf(() => host.scenarios.create(scenario))).toEqual([
      expect.stringMatching(/^\/patches\/0: .*\/times counts its matches/),
    ]);
  });

  it('refuses faults that count, reactions, and rows that each replica would make otherwise', async () => {
    const { host } = await start('one');
    expect(await problemsOf(() => host.faults.set('probe', { after: 1, times: 2 }))).toEqual([
      expect.stringMatching(/^\/after: counts messages/),
      expect.stringMatching(/^\/times: counts messages/),
    ]);
    host.faults.set('probe', { error_rate: 0.5 });
    const reaction = { on: { state: { key: 'a' } }, do: [{ scenario: { activate: 's' } }] };
    expect(await problemsOf(() => host.reactions.create(reaction as never))).toEqual([
      expect.stringContaining('reactions are for a single server'),
    ]);
    expect(
      await problemsOf(() => host.collections.define('c', { id: '{{uuid}}', set: { at: '{{now}}', n: 1 } })),
    ).toEqual([
      expect.stringMatching(/^\/id: is a template/),
      expect.stringMatching(/^\/set\/at: is a template/),
    ]);
    await host.collections.define('c', { set: { n: 1 } });
  });

  it('has chance of its own', async () => {
    const ids = new Set<string>();
    for (const name of ['one', 'two', undefined, undefined]) {
      ids.add(String(await firstUuid(name)));
    }
    expect(ids.size).toBe(3);
  });
});

/** What the first message of a host with a seed is answered. */
async function firstUuid(name: string | undefined): Promise<unknown> {
  const made = probe();
  const host = await createHost({
    ...{ seed: 1, protocols: [made.protocol] },
    ...(name === undefined ? {} : { replica: name }),
  });
  hosts.push(host);
  await host.start();
  return (made.context() as unknown as { random(...parts: string[]): { uuid(): string } }).random('a').uuid();
}

describe('a clock that follows from behind', () => {
  it('lets waits of the past end in their order, and is at real time in the end', async () => {
    const { host } = await start('one');
    const { clock } = host;
    await clock.followFrom(60_000);
    const ended: string[] = [];
    host.faults.set('probe', { expires: '10s' });
    clock.after(30_000, () => ended.push('b'));
    clock.after(20_000, () => ended.push('a'));
    expect(Date.now() - clock.now()).toBeGreaterThanOrEqual(60_000 - 1);
    await clock.followFrom(45_000);
    expect(host.faults.all()).toEqual({});
    expect(ended).toEqual([]);
    host.reset();
    expect(Date.now() - clock.now()).toBeGreaterThanOrEqual(45_000 - 1);
    await clock.followFrom(0);
    expect(ended).toEqual(['a', 'b']);
    expect(Math.abs(Date.now() - clock.now())).toBeLessThan(1_000);
    expect(clock.view().offset_ms).toBe(0);
  });

  it('stands still while it is frozen', async () => {
    const { clock } = (await start('one')).host;
    await clock.followFrom(60_000);
    clock.freeze(true);
    const at = clock.now();
    await clock.followFrom(0);
    expect(clock.now()).toBe(at);
    clock.freeze(false);
    expect(clock.now() - at).toBeLessThan(1_000);
  });
});

describe('spaces that are kept while they are idle', () => {
  it('end by nobody but who has asked for that', async () => {
    const { host } = await start('one', { spaces: { max: 1, ttl: '1ms' } });
    host.spaces.keepIdle();
    await host.spaces.create({ id: 'a' });
    while (host.spaces.idle().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(host.spaces.idle()).toEqual(['a']);
    expect(await problemsOf(() => host.spaces.create({ id: 'b' }))).toEqual([
      expect.stringContaining('there are 1 spaces'),
    ]);
    await host.spaces.remove('a');
    expect(host.spaces.idle()).toEqual([]);
  });
});
