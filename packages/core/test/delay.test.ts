import { describe, expect, it } from '@jest/globals';
import { createHost } from '../src/index.js';
import { isBacklotError } from '../src/errors.js';
import { compileDelay, rollDelay } from '../src/time/delay.js';
import type { DelaySource } from '../src/time/delay-schema.js';
import { probe } from './support.js';

const rollMany = (source: DelaySource, seed = 1, at = '/delay'): number[] => {
  const delay = compileDelay(source, at);
  return Array.from({ length: 4000 }, (_, n) => rollDelay(delay, seed, 7, n));
};

const problemsOf = (source: unknown): unknown => {
  try {
    compileDelay(source as DelaySource);
  } catch (thrown) {
    if (isBacklotError(thrown)) return thrown.details ?? thrown.message;
  }
  return undefined;
};

describe('compileDelay', () => {
  it('makes milliseconds of what is always the same', () => {
    expect(compileDelay(undefined)).toBe(0);
    expect(compileDelay('250ms')).toBe(250);
    expect(compileDelay({ fixed: '1.5s' })).toBe(1500);
    expect(compileDelay({ uniform: { min: '2s', max: '2s' } })).toBe(2000);
    expect(compileDelay({ lognormal: { median: '80ms', sigma: 0 } })).toBe(80);
  });

  it('rolls the same for the same seed, and differently for another one and elsewhere', () => {
    const source = { lognormal: { median: '80ms', sigma: 0.4 } };
    expect(rollMany(source)).toEqual(rollMany(source));
    expect(rollMany(source, 2)).not.toEqual(rollMany(source));
    const salts = ['/delay', '/response/delay'].map((at) => compileDelay(source, at));
    expect(salts[0]).not.toEqual(salts[1]);
  });

  it('rolls evenly within bounds', () => {
    const rolls = rollMany({ uniform: { min: '100ms', max: '300ms' } });
    expect(Math.min(...rolls)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...rolls)).toBeLessThan(300);
    expect(rolls.filter((ms) => ms < 150).length / rolls.length).toBeCloseTo(0.25, 1);
  });

  it('rolls lognormally around the median, and never above max', () => {
    const rolls = rollMany({ lognormal: { median: '80ms', sigma: 0.4 } }).sort((a, b) => a - b);
    const at = (share: number): number => rolls[Math.floor(rolls.length * share)] ?? 0;
    expect(at(0.5) / 80).toBeCloseTo(1, 1);
    // One standard deviation of the logarithm above the median.
    expect(at(0.8413) / 80).toBeCloseTo(Math.exp(0.4), 0);
    expect(at(0.1587) / 80).toBeCloseTo(Math.exp(-0.4), 1);
    const bounded = rollMany({ lognormal: { median: '80ms', sigma: 2, max: '80ms' } });
    expect(Math.max(...bounded)).toBeLessThanOrEqual(80);
    expect(new Set(bounded).size).toBeGreaterThan(3900);
  });

  it.each<[unknown, unknown]>([
    ['soon', expect.stringContaining('"soon" is not a duration')],
    [{}, expect.stringContaining('one of fixed, uniform and lognormal, got none')],
    [{ fixed: '1s', uniform: { min: '1s', max: '2s' } }, expect.stringContaining('got fixed and uniform')],
    [{ fixed: 'x' }, [{ path: '/fixed', message: expect.stringContaining('"x" is not a duration') }]],
    [
      { uniform: { min: '2s', max: '1s' } },
      [{ path: '/uniform', message: 'min "2s" must not be more than max "1s"' }],
    ],
    [
      { uniform: { min: 'a', max: 'b' } },
      [expect.objectContaining({ path: '/uniform/min' }), expect.objectContaining({ path: '/uniform/max' })],
    ],
    [
      { lognormal: { median: '2s', sigma: 1, max: '1s' } },
      [{ path: '/lognormal', message: 'median "2s" must not be more than max "1s"' }],
    ],
  ])('refuses %j', (source, expected) => {
    expect(problemsOf(source)).toEqual(expected);
  });
});

describe('a rolled delay', () => {
  const rolled = { uniform: { min: '1m', max: '1h' } };
  const start = async () => {
    const plugin = probe();
    const host = await createHost({ protocols: [plugin.protocol], settings: { probe: {} }, seed: 3 });
    await host.start();
    host.clock.freeze(true);
    const timed = async (): Promise<number> => {
      const before = host.clock.now();
      let isOver = false;
      const exchange = plugin.context().receive({ method: '', path: 'a', remote: '' });
      void Promise.resolve(exchange.resolve()).then(() => (isOver = true));
      for (let step = 0; step < 4000; step += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isOver) break;
        await host.clock.advance(1000);
      }
      exchange.done();
      return host.clock.now() - before;
    };
    return { host, timed };
  };

  it('of a mock, a fault and a scenario waits on the virtual clock, the same in each run', async () => {
    const all: number[][] = [];
    for (let run = 0; run < 2; run += 1) {
      const { host, timed } = await start();
      const times: number[] = [];
      const { mocks } = host.kind('probe');
      mocks.create({ id: 'm', match: 'a', delay: rolled });
      times.push(await timed(), await timed());
      host.scenarios.create({ id: 's', patches: [{ mock_id: 'm', delay: { fixed: '30s' } }] });
      host.scenarios.activate('s');
      expect(await timed()).toBe(30_000);
      host.scenarios.deactivate('s');
      mocks.remove('m');
      host.faults.set('probe', { delay: rolled, error_rate: 0 });
      times.push(await timed(), await timed());
      all.push(times);
      await host.stop();
    }
    expect(all[1]).toEqual(all[0]);
    expect(new Set(all[0]).size).toBe(4);
    for (const ms of all[0] ?? []) {
      expect(ms).toBeGreaterThanOrEqual(60_000);
      expect(ms).toBeLessThanOrEqual(3_601_000);
    }
  });

  it('is refused with the place of each problem', async () => {
    const { host } = await start();
    const { mocks } = host.kind('probe');
    const detail = (make: () => unknown): unknown => {
      try {
        make();
      } catch (thrown) {
        if (isBacklotError(thrown)) return thrown.details?.map(({ path, message }) => `${path} ${message}`);
      }
      return undefined;
    };
    const withDelay = (delay: unknown) => () => mocks.create({ id: 'x', delay });
    expect(detail(withDelay(250))).toEqual(['/delay must be a string or an object, got 250']);
    expect(detail(withDelay({ lognormal: { median: 'x', sigma: 1 } }))).toEqual([
      expect.stringMatching(/^\/delay\/lognormal\/median "x" is not a duration/),
    ]);
    expect(detail(withDelay({ lognormal: { median: '1s' } }))).toEqual([
      '/delay/lognormal/sigma "sigma" is required',
    ]);
    expect(detail(withDelay({ normal: {} }))).toEqual([
      expect.stringMatching(/^\/delay\/normal unknown field "normal"/),
    ]);
    expect(detail(() => host.faults.set('probe', { delay: { uniform: { min: '2s', max: '1s' } } }))).toEqual([
      '/delay/uniform min "2s" must not be more than max "1s"',
    ]);
    expect(
      detail(() => host.scenarios.create({ id: 's', patches: [{ mock_id: 'a', delay: { fixed: '-1s' } }] })),
    ).toEqual([expect.stringMatching(/\/delay\/fixed duration "-1s" is negative/)]);
    await host.stop();
  });
});
