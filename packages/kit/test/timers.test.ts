import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { IdleWatch, timers } from '../src/index.js';

afterEach(() => {
  jest.useRealTimers();
});

const MAX_DELAY = 2 ** 31 - 1;

describe('timers', () => {
  it('calls once after the time, and not when cancelled', async () => {
    const start = timers.now();
    const cancelled = jest.fn();
    timers.after(5, cancelled).cancel();
    await new Promise<void>((resolve) => timers.after(20, resolve, { unref: false }));
    expect(timers.now() - start).toBeGreaterThanOrEqual(19);
    expect(cancelled).not.toHaveBeenCalled();
  });

  it('never ask for the date, which may be set back and forth', async () => {
    const real = Date.now.bind(Date);
    let jump = 0;
    const date = jest.spyOn(Date, 'now').mockImplementation(() => real() + (jump -= 1e10));
    const idle = new IdleWatch((error) => {
      throw error;
    });
    const begun = timers.now();
    await new Promise<void>((resolve) => {
      idle.watch({ timeout: 20, onIdle: resolve });
    });
    await timers.wait(5);
    let rounds = 0;
    await new Promise<void>((resolve) => {
      const round = timers.every(2, () => {
        rounds += 1;
        if (rounds < 3) return;
        round.cancel();
        resolve();
      });
    });
    expect(timers.now() - begun).toBeGreaterThanOrEqual(24);
    expect(date).not.toHaveBeenCalled();
    date.mockRestore();
    idle.stop();
  });

  it('keeps lengths that node would cut to a millisecond', () => {
    jest.useFakeTimers();
    const fn = jest.fn();
    timers.after(3 * MAX_DELAY, fn);
    jest.advanceTimersByTime(3 * MAX_DELAY - 1);
    expect(fn).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(fn).toHaveBeenCalledTimes(1);
    const never = jest.fn();
    const timer = timers.after(Infinity, never);
    jest.advanceTimersByTime(5 * MAX_DELAY);
    timer.cancel();
    jest.advanceTimersByTime(5 * MAX_DELAY);
    expect(never).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
    const often = jest.fn();
    const ticker = timers.every(Infinity, often);
    jest.advanceTimersByTime(1000);
    ticker.cancel();
    expect(often).not.toHaveBeenCalled();
  });

  it('calls again and again until cancelled', async () => {
    let count = 0;
    await new Promise<void>((resolve) => {
      const timer = timers.every(2, () => {
        count += 1;
        if (count === 3) {
          timer.cancel();
          resolve();
        }
      });
    });
    await timers.wait(15);
    expect(count).toBe(3);
  });

  it('a wait ends when its signal is aborted', async () => {
    const controller = new AbortController();
    const waiting = timers.wait(60_000, controller.signal);
    controller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    await expect(timers.wait(0, controller.signal)).rejects.toThrow('left');
    await expect(timers.wait(1, new AbortController().signal)).resolves.toBeUndefined();
  });
});

describe('IdleWatch', () => {
  it('fires only for what is not touched, and never early', async () => {
    const watch = new IdleWatch(() => undefined);
    const start = timers.now();
    const touched = jest.fn();
    const fired = new Promise<number>((resolve) => {
      watch.watch({ timeout: 60, onIdle: () => resolve(timers.now() - start) });
    });
    const mark = watch.watch({ timeout: 60, onIdle: touched });
    const toucher = timers.every(10, () => mark.touch());
    expect(watch.size).toBe(2);
    const after = await fired;
    expect(after).toBeGreaterThanOrEqual(60);
    expect(touched).not.toHaveBeenCalled();
    expect(watch.size).toBe(1);
    toucher.cancel();
    mark.cancel();
    expect(watch.size).toBe(0);
  });

  it('asks for activity, and reports what a callback throws', async () => {
    let bytes = 0;
    const errors: unknown[] = [];
    const watch = new IdleWatch((error) => errors.push(error));
    const active = jest.fn();
    watch.watch({ timeout: 30, onIdle: active, activity: () => (bytes += 1) });
    watch.watch({ timeout: 30, onIdle: active, activity: () => Number.NaN });
    watch.watch({
      timeout: 20,
      onIdle: () => {
        throw new Error('in onIdle');
      },
    });
    while (errors.length === 0) await timers.wait(2);
    await timers.wait(60);
    expect(errors).toEqual([new Error('in onIdle')]);
    expect(active).not.toHaveBeenCalled();
    watch.stop();
    expect(watch.size).toBe(0);
  });

  it('does not count time in which the whole process was held up', async () => {
    const watch = new IdleWatch(() => undefined);
    const onIdle = jest.fn();
    const start = timers.now();
    const fired = new Promise<number>((resolve) => {
      watch.watch({ timeout: 100, onIdle: () => resolve(timers.now() - start) });
    });
    watch.watch({ timeout: 100, onIdle });
    const until = timers.now() + 250;
    while (timers.now() < until) {
      // Nothing else can run meanwhile.
    }
    await timers.wait(0);
    expect(onIdle).not.toHaveBeenCalled();
    expect(await fired).toBeGreaterThan(300);
    watch.stop();
  });

  it('looks often enough for a short limit that comes after a long one', async () => {
    const watch = new IdleWatch(() => undefined);
    watch.watch({ timeout: 3_600_000, onIdle: () => undefined });
    const start = timers.now();
    await new Promise<void>((resolve) => watch.watch({ timeout: 20, onIdle: resolve }));
    expect(timers.now() - start).toBeLessThan(60_000);
    watch.stop();
  });
});
