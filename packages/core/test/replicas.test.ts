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

/** Counts of all, of which another host has counted some; nobody answers for the mock `gone`. */
function countsOf(before: Readonly<Record<string, number>>): {
  readonly counts: Map<string, number>;
  readonly sharedCounts: NonNullable<HostOptions['sharedCounts']>;
} {
  const counts = new Map(Object.entries(before));
  const count = ({ id, limit }: CountedMock): Promise<number | undefined> => {
    if (id === 'gone') return Promise.reject(new Error('nobody answers'));
    const last = counts.get(id) ?? 0;
    counts.set(id, Math.min(limit, last + 1));
    return Promise.resolve(last < limit ? last + 1 : undefined);
  };
  return {
    counts,
    sharedCounts: { revision: 1, count, read: () => Promise.reject(new Error('nobody asks')) },
  };
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
    const { sharedCounts } = countsOf({ b: 1 });
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

  it.each(['first', 'all'] as const)(
    'counts what is followed in mode %s, and waits for that alone',
    async (mode) => {
      const { counts, sharedCounts } = countsOf({ b: 1 });
      const made = probe('probe', { mode });
      const { host } = await start('one', { sharedCounts, protocols: [made.protocol] }, made);
      const { mocks } = host.kind('probe');
      mocks.create({ id: 'plain', match: 'p' });
      mocks.create({ id: 'a', match: 'x', times: 2 });
      mocks.create({ id: 'b', match: 'x', times: 1 });
      mocks.create({ id: 'c', match: 'x' });
      const exchange = made.context().receive(message('p'));
      await exchange.resolve();
      const follow = async (path: string): Promise<unknown> => {
        const followed = await exchange.follow(message(path));
        return 'type' in followed ? followed.type : followed.map(({ mock, call }) => `${mock.id} ${call}`);
      };
      expect(exchange.follow(message('p'))).toBeInstanceOf(Array);
      expect(exchange.follow(message('nobody'))).toEqual([]);
      const isAll = mode === 'all';
      expect(await follow('x')).toEqual(isAll ? ['a 1', 'c 1'] : ['a 1']);
      expect(await follow('x')).toEqual(isAll ? ['a 2', 'c 2'] : ['a 2']);
      // Both are used up, of which one learns by asking.
      expect(await follow('x')).toEqual([isAll ? 'c 3' : 'c 1']);
      expect(exchange.follow(message('x'))).toBeInstanceOf(Array);
      expect(Object.fromEntries(counts)).toEqual({ a: 2, b: 1 });
      mocks.create({ id: 'gone', match: 'gone', times: 1 });
      expect(await follow('gone')).toBe('fault');
      expect(exchange.faulted).toBe(true);
      exchange.done({});
      expect(JSON.stringify(host.journal.list({ limit: 1 }))).toContain(
        'the matches of mock \\"gone\\" cannot be counted: nobody answers',
      );
    },
  );

  it('counts what is used in mode items', async () => {
    const { counts, sharedCounts } = countsOf({});
    const made = probe('probe', { mode: 'items' });
    const { host } = await start('one', { sharedCounts, protocols: [made.protocol] }, made);
    host.kind('probe').mocks.create({ id: 'a', times: 3 });
    host.kind('probe').mocks.create({ id: 'gone', times: 1 });
    const use = async (id: string): Promise<unknown> => {
      const exchange = made.context().receive(message('x'));
      await exchange.resolve();
      const mock = made
        .context()
        .mocks.values()
        .find((each) => each.id === id);
      const used = await exchange.used(mock as never);
      exchange.done({});
      return used.type === 'matched' ? used.call : used.type;
    };
    expect(await use('a')).toBe(1);
    counts.set('a', 3);
    expect(await use('a')).toBe('unmatched');
    // From now on it is as if absent.
    expect(
      made
        .context()
        .mocks.values()
        .map(({ id }) => id),
    ).toEqual(['gone']);
    expect(await use('gone')).toBe('fault');
    expect(host.kind('probe').calls.items('gone').count).toBe(0);
  });

  it('refuses sequences in what is shown without a match', async () => {
    const { sharedCounts } = countsOf({});
    const made = probe('probe', { mode: 'items' });
    const sharedChanges = { make: () => Promise.reject(new Error('nobody asks')) };
    const options = { sharedCounts, sharedChanges, protocols: [made.protocol] };
    const { host } = await start('one', options, made);
    const { mocks } = host.kind('probe');
    expect(await problemsOf(() => mocks.create({ id: 'm', answer: '{{seq "a"}}' }))).toEqual([
      expect.stringContaining(
        'has a template with "seq" in "answer", which is also rendered where nothing counts',
      ),
    ]);
    mocks.create({ id: 'm', answer: 'x', set_state: { n: '{{seq "a"}}' } });
  });

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
