import { afterEach, describe, expect, it } from '@jest/globals';
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
