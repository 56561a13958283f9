import { describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import { isBacklotError } from '../src/plugin.js';
import { createValidator } from '../src/validation/validator.js';
import { compiledOnce, withoutShared } from '../src/validation/shared-schemas.js';
import { createTogether, type NewMockStore } from '../src/mocks/new-mocks.js';
import { runAtOnce } from '../src/time/slices.js';
import { message, probe, startsProbes } from './support.js';

const start = startsProbes();

const list = (count: number, more: object = {}): object[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    match: `m${index}`,
    answer: 'x{{request.path}}',
    ...more,
  }));

/** Runs something after each turn of the event loop until it is stopped; answers how many turns there were. */
function eachTurn(act: () => void): () => number {
  let turns = 0;
  let isStopped = false;
  const turn = (): void => {
    if (isStopped) return;
    turns += 1;
    act();
    setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isStopped = true;
    return turns;
  };
}

describe('what checks mocks', () => {
  it('is made ready once, in turns of its own before the first ones of a list', async () => {
    const validator = createValidator(Type.Object({ a: Type.String() }));
    expect([validator.prepare(), validator.prepare(), validator.check({})]).toEqual([
      true,
      false,
      [{ path: '/a', message: '"a" is required' }],
    ]);
    const { host } = await start();
    const { mocks } = host.kind('probe');
    const stop = eachTurn(() => undefined);
    await mocks.createInSlices([{ id: 'a', match: 'a', answer: 'x' }]);
    expect(stop()).toBeGreaterThan(2);
    expect(mocks.prepare()).toBe(false);
    expect(mocks.has('a')).toBe(true);
  });
});

describe('a large schema', () => {
  it('is made ready field by field, of which what is wrong is told as before', () => {
    const schema = Type.Object({
      a: Type.Object({ x: Type.String() }, { additionalProperties: false }),
      b: Type.Optional(Type.Union([Type.Literal('one'), Type.Object({ y: Type.Number() })])),
      c: Type.Optional(Type.String()),
    });
    const whole = createValidator(Type.Array(schema));
    const validator = createValidator(schema);
    const prepared = Array.from({ length: 5 }, () => validator.prepare());
    // Itself, and two fields that have fields or branches; nothing twice.
    expect(prepared).toEqual([true, true, true, false, false]);
    for (const value of [{}, { a: 1 }, { a: { x: 'x', z: 1 }, b: 'two' }, { a: { x: 1 }, b: {}, c: 1 }]) {
      const problems = validator.check(value);
      expect(problems.length).toBeGreaterThan(0);
      expect(problems).toEqual(
        whole.check([value]).map((problem) => ({ ...problem, path: problem.path.slice('/0'.length) })),
      );
    }
    expect(validator.check({ a: { x: 'x' }, b: { y: 1 } })).toEqual([]);
  });
});

describe('a schema that is compiled once for all places', () => {
  it('is looked through by nobody who compiles a place of it', () => {
    const names = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, Type.String()]));
    const inner = compiledOnce(Type.Object(names));
    const outer = Type.Object({ a: inner, b: inner, c: Type.Array(inner) });
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, each) => sum + count(each), 1)
        : 0;
    expect(count(withoutShared(outer))).toBeLessThan(20);
    expect(createValidator(outer).check({ a: {}, b: {}, c: [] })[0]).toEqual({
      path: '/a/f0',
      message: '"f0" is required',
    });
  });
});

describe('many mocks at once', () => {
  it('are checked while others are served, and answer all together', async () => {
    const { host, ask, probe: made } = await start();
    const { mocks } = host.kind('probe');
    const seen = new Set<string>();
    const stop = eachTurn(() => {
      const first = made.context().receive(message('m0')).resolve() as { type: string };
      const last = made.context().receive(message('m4999')).resolve() as { type: string };
      seen.add(
        `${first.type} ${last.type} ${mocks.list().length} ${mocks.has('m0')} ${String(host.kind('probe').status()['mocks'])}`,
      );
    });
    const created = await mocks.createInSlices(list(5000));
    expect(stop()).toBeGreaterThan(2);
    expect(created).toHaveLength(5000);
    expect([...seen].filter((state) => state !== 'matched matched 5000 true 5000')).toEqual([
      'unmatched unmatched 0 false 0',
    ]);
    expect(await ask('m4999')).toBe('xm4999');
  });

  it('stop being checked once a hundred problems are known', async () => {
    const { host } = await start();
    const { mocks } = host.kind('probe');
    const refusal: unknown = await mocks
      .createInSlices(list(200_000, { mach: 1 }))
      .catch((error: unknown) => error);
    expect(isBacklotError(refusal) && refusal.details).toHaveLength(101);
    expect(isBacklotError(refusal) && refusal.details?.at(-1)).toEqual({
      path: '',
      message: 'only the first 100 of 200000 were checked, which have 100 problems',
    });
    expect(mocks.list()).toEqual([]);
  });

  it('look at no mock beyond the one with the hundredth problem', () => {
    let prepared = 0;
    const store = {
      noun: 'mock',
      prepare() {
        prepared += 1;
        throw Object.assign(new Error('no'), {
          name: 'BacklotError',
          code: 'invalid',
          details: [{ path: '', message: 'no' }],
        });
      },
      refuse(problems: readonly unknown[]) {
        if (problems.length > 0) throw new Error(`${problems.length} problems`);
      },
      *withdrawSteps() {
        // There is nothing to be taken away.
      },
    } as unknown as NewMockStore;
    expect(() => [...createTogether(list(1000), store)]).toThrow('101 problems');
    expect(prepared).toBe(100);
  });

  it('are placed one by one as they are checked, so that what was made to check them is not kept for all', () => {
    const steps: string[] = [];
    const store = {
      noun: 'mock',
      prepare(mock: { id: string }) {
        steps.push(`check ${mock.id}`);
        return { value: mock };
      },
      place({ value }: { value: { id: string } }) {
        steps.push(`place ${value.id}`);
        return { slot: { value } };
      },
      refuse: () => undefined,
      commit: (placed: readonly unknown[]) => void steps.push(`show ${placed.length}`),
    } as unknown as NewMockStore;
    runAtOnce(createTogether([{ id: 'a' }, { id: 'b' }], store));
    expect(steps).toEqual(['check a', 'place a', 'check b', 'place b', 'show 2']);
  });

  it('have their ids free again when they are refused, however many were right', async () => {
    const { host, ask } = await start();
    const { mocks } = host.kind('probe');
    for (let round = 0; round < 3; round += 1) {
      await expect(mocks.createInSlices([...list(5000), { x: 1 }])).rejects.toThrow('unknown field');
      expect(mocks.create({ id: 'm4999', match: 'last', answer: 'mine' }).id).toBe('m4999');
      expect(await ask('last')).toBe('mine');
      mocks.remove('m4999');
    }
    expect(() => mocks.createAll([...list(10), { x: 1 }])).toThrow('unknown field');
    expect(mocks.createAll(list(10))).toHaveLength(10);
  });

  it('leave nothing behind when one is not valid, or the client leaves', async () => {
    const { host } = await start();
    const { mocks } = host.kind('probe');
    await expect(mocks.createInSlices([...list(5000), { x: 1 }])).rejects.toThrow('unknown field');
    const controller = new AbortController();
    const creating = mocks.createInSlices(list(5000), controller.signal);
    const stop = eachTurn(() => controller.abort(new Error('left')));
    await expect(creating).rejects.toThrow('left');
    stop();
    expect(mocks.list()).toEqual([]);
    await expect(mocks.createInSlices(list(5000))).resolves.toHaveLength(5000);
  });

  it('give way to a mock with the same id that a snapshot brings meanwhile, all of them', async () => {
    const { host, ask } = await start();
    const { mocks } = host.kind('probe');
    mocks.create({ id: 'm7', match: 'seven', answer: 'own' });
    const { id } = host.snapshots.create();
    mocks.remove('m7');
    const creating = mocks.createInSlices(list(5000));
    let isRestored = false;
    const stop = eachTurn(() => {
      if (isRestored) return;
      isRestored = true;
      host.snapshots.restore(id);
    });
    await expect(creating).rejects.toMatchObject({ code: 'conflict' });
    stop();
    expect(mocks.list()).toEqual([{ id: 'm7', match: 'seven', answer: 'own' }]);
    expect([await ask('seven'), await ask('m3')]).toEqual(['own', 'unmatched']);
  });

  it('go on through a reset, and are there after it', async () => {
    const { host, ask } = await start({ mocks: [{ id: 'own', match: 'own', answer: 'own' }] });
    const { mocks } = host.kind('probe');
    let resets = 0;
    const stop = eachTurn(() => {
      if (resets < 3) host.reset();
      resets += 1;
    });
    await mocks.createInSlices(list(5000));
    stop();
    expect(mocks.list()).toHaveLength(5001);
    expect([await ask('m5'), await ask('own')]).toEqual(['xm5', 'own']);
    host.reset();
    expect(mocks.list()).toHaveLength(1);
    expect([await ask('m5'), await ask('own')]).toEqual(['unmatched', 'own']);
    await mocks.createInSlices(list(5000));
    expect(await ask('m5')).toBe('xm5');
  });

  it('come back with a snapshot that is restored right after they went', async () => {
    const { host, ask } = await start();
    const { mocks } = host.kind('probe');
    await mocks.createInSlices(list(5000));
    const { id } = host.snapshots.create();
    host.reset();
    host.snapshots.restore(id);
    expect([mocks.list().length, await ask('m4999')]).toEqual([5000, 'xm4999']);
    // What was taken away is swept in slices, which must not take the new ones.
    await new Promise((resolve) => setImmediate(resolve));
    await mocks.createInSlices([{ id: 'last', match: 'last' }]);
    expect(await ask('m4999')).toBe('xm4999');
    expect(await ask('m0')).toBe('xm0');
  });

  it('take the patches of a scenario that was activated meanwhile', async () => {
    const { host, ask } = await start();
    host.scenarios.create({ id: 's', patches: [{ mock_id: 'm5', body: 'patched' }] });
    let isActive = false;
    const stop = eachTurn(() => {
      if (!isActive) host.scenarios.activate('s');
      isActive = true;
    });
    await host.kind('probe').mocks.createInSlices(list(5000));
    stop();
    expect(await ask('m5')).toBe('patched');
  });

  it('begin with no calls, though mocks with their ids were called before and a snapshot that counted them comes back', async () => {
    const { host, ask } = await start();
    const { mocks, calls } = host.kind('probe');
    const callsOf = async (): Promise<number> => {
      expect(await ask('m4999')).toBe('xm4999');
      return calls.of('m4999').count;
    };
    await mocks.createInSlices(list(5000));
    expect([await callsOf(), await callsOf()]).toEqual([1, 2]);
    for (const { id } of mocks.list()) mocks.remove(id);
    const { id } = host.snapshots.create();
    await mocks.createInSlices(list(5000));
    expect(await callsOf()).toBe(1);
    for (const { id: each } of mocks.list()) mocks.remove(each);
    let isRestored = false;
    const stop = eachTurn(() => {
      if (!isRestored) host.snapshots.restore(id);
      isRestored = true;
    });
    await mocks.createInSlices(list(5000));
    stop();
    expect(isRestored).toBe(true);
    expect(await callsOf()).toBe(1);
  });

  it('are told to who reads them by itself, each', async () => {
    const made = probe('probe', { mode: 'items' });
    const { host } = await start({}, {}, made);
    const told: string[] = [];
    made.context().mocks.onChange((change) => told.push((change as { id: string }).id));
    await host.kind('probe').mocks.createInSlices(list(3000));
    expect(told).toHaveLength(3000);
    expect(made.context().mocks.values()).toHaveLength(3000);
  });
});

describe('one mock', () => {
  it('holds at most 50,000 fields and elements', async () => {
    const { host } = await start();
    const { mocks } = host.kind('probe');
    const large = { match: 'x', list: Array.from({ length: 50_001 }, () => 1) };
    expect(() => mocks.create(large)).toThrow('must not hold more than 50000 fields and elements');
    expect(() => mocks.createAll([large])).toThrow('must not hold more than');
  });

  it('is refused with a hundred problems at most', async () => {
    const { host } = await start();
    const wrong = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 1]));
    try {
      host.kind('probe').mocks.create(wrong);
    } catch (error) {
      expect(isBacklotError(error) && error.details).toHaveLength(100);
    }
    expect.assertions(1);
  });
});
