import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../src/time/clock-virtual.js';

const clocks: VirtualClock[] = [];
function makeClock(onError: (thrown: unknown) => void = () => undefined): VirtualClock {
  const clock = new VirtualClock(onError);
  clocks.push(clock);
  return clock;
}
afterEach(() => clocks.splice(0).forEach((clock) => clock.stop()));

describe('the virtual clock', () => {
  it('lets real time pass by itself', async () => {
    const clock = makeClock();
    const start = clock.now();
    await new Promise<void>((resolve) => clock.after(20, resolve));
    expect(clock.now() - start).toBeGreaterThanOrEqual(19);
  });

  it('fires waits in order when it is advanced, and those they start', async () => {
    const clock = makeClock();
    clock.freeze(true);
    const start = clock.now();
    const fired: [string, number][] = [];
    const note = (name: string): void => void fired.push([name, clock.now() - start]);
    clock.after(3000, () => note('c'));
    clock.after(1000, () => {
      note('a');
      void Promise.resolve().then(() => clock.after(1000, () => note('b')));
    });
    clock.after(4000, () => note('d')).cancel();
    await clock.advance(3500);
    expect(fired).toEqual([
      ['a', 1000],
      ['b', 2000],
      ['c', 3000],
    ]);
    expect(clock.now() - start).toBe(3500);
    await clock.advance(10_000);
    expect(fired).toHaveLength(3);
  });

  it('does not make anybody wait longer when the date is set back', async () => {
    const clock = makeClock();
    clock.freeze(true);
    let hasFired = false;
    clock.after(1000, () => void (hasFired = true));
    await clock.setNow(Date.UTC(2001, 0, 1));
    expect(clock.view()).toMatchObject({ now: '2001-01-01T00:00:00.000Z', frozen: true });
    await clock.advance(1000);
    expect(hasFired).toBe(true);
    clock.reset();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(60_000);
    expect(clock.view().frozen).toBe(false);
  });

  it('takes parts of a time as the whole, however their sums are rounded', async () => {
    let fired = 0;
    for (let round = 0; round < 200; round += 1) {
      const clock = makeClock();
      clock.freeze(true);
      clock.after(600 + round / 7, () => (fired += 1));
      await clock.advance(round / 7);
      await clock.advance(599);
      expect(fired).toBe(round);
      await clock.advance(1);
      expect(fired).toBe(round + 1);
    }
  });

  it('goes on from where it was frozen', async () => {
    const clock = makeClock();
    await clock.setNow(Date.UTC(2040, 0, 1));
    clock.freeze(true);
    const frozen = clock.now();
    clock.freeze(false);
    await new Promise<void>((resolve) => clock.after(5, resolve));
    expect(clock.now()).toBeGreaterThanOrEqual(frozen);
    expect(clock.now() - frozen).toBeLessThan(60_000);
  });

  it('reports a callback that throws and goes on', async () => {
    const thrown: unknown[] = [];
    const clock = makeClock((what) => thrown.push(what));
    clock.freeze(true);
    let hasFired = false;
    clock.after(1, () => {
      throw new Error('oops');
    });
    clock.after(2, () => void (hasFired = true));
    await clock.advance(5);
    expect(thrown).toHaveLength(1);
    expect(hasFired).toBe(true);
  });
});

describe('a hundred thousand waits', () => {
  it('are called back in slices that let others in, whether their times differ or not', async () => {
    for (const step of [0, 1000]) {
      const clock = makeClock();
      clock.freeze(true);
      const start = clock.now();
      let fired = 0;
      for (let index = 0; index < 100_000; index += 1) {
        clock.after(1000 + index * step, () => {
          fired += 1;
          // What a callback does takes time too.
          if (step === 0) JSON.parse(`[${'1,'.repeat(20)}1]`);
        });
      }
      let turns = 0;
      let isDone = false;
      const count = (): void => {
        turns += 1;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      await clock.advance(10 * 365 * 86_400_000);
      isDone = true;
      expect([fired, clock.now() - start]).toEqual([100_000, 10 * 365 * 86_400_000]);
      expect(turns).toBeGreaterThan(3);
    }
  });

  it('that are due by themselves are called back in slices too', async () => {
    const clock = makeClock();
    let fired = 0;
    await new Promise<void>((resolve) => {
      let turns = 0;
      for (let index = 0; index < 50_000; index += 1) {
        clock.after(5, () => {
          JSON.parse(`[${'1,'.repeat(20)}1]`);
          fired += 1;
          if (fired < 50_000) return;
          expect(turns).toBeGreaterThan(1);
          resolve();
        });
      }
      const count = (): void => {
        turns += 1;
        if (fired < 50_000) setImmediate(count);
      };
      setImmediate(count);
    });
  });
});

describe('the date of the system', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('may be set back or forward: waits take as long as they take, and dates follow', async () => {
    const real = Date.now.bind(Date);
    let jump = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + jump);
    const clock = makeClock();
    const day = 86_400_000;
    let later = 0;
    for (const change of [-30 * day, 60 * day, -day]) {
      const before = clock.now();
      const waited = new Promise<void>((resolve) => clock.after(20, resolve));
      jump += change;
      await waited;
      expect(Math.abs(clock.now() - before - change)).toBeLessThan(60_000);
      // Dates of what has taken a reading already follow within a second.
      later += 2000;
      expect(Math.abs(clock.dateAt(performance.now() + later) - clock.now() - later)).toBeLessThan(60_000);
    }
  });

  it('does not move what is driven by hand', async () => {
    const real = Date.now.bind(Date);
    let jump = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + jump);
    const clock = makeClock();
    clock.freeze(true);
    const start = clock.now();
    let fired = 0;
    clock.after(3_600_000, () => (fired += 1));
    jump = -365 * 86_400_000;
    expect(clock.now()).toBe(start);
    await clock.advance(3_600_000);
    expect([fired, clock.now() - start]).toEqual([1, 3_600_000]);
    clock.freeze(false);
    expect(Math.abs(clock.now() - start - 3_600_000)).toBeLessThan(60_000);
    jump += 1000;
    expect(clock.view().offset_ms).toBeGreaterThan(364 * 86_400_000);
  });

  it('that is set back while time is moved forward leaves it where it was to be', async () => {
    const real = Date.now.bind(Date);
    let jump = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + jump);
    const clock = makeClock();
    const start = clock.now();
    clock.after(1000, () => (jump = -86_400_000));
    await clock.advance(5000);
    expect(Math.abs(clock.now() - start - 5000)).toBeLessThan(60_000);
  });
});
