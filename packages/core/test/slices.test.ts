import { describe, expect, it } from '@jest/globals';
import { runInSlices } from '../src/time/slices.js';
import { SLICE } from '../src/time/turns.js';

/** Keeps the event loop for one slice and a little. */
function hold(): void {
  for (const end = performance.now() + SLICE; performance.now() < end;);
}

describe('runInSlices', () => {
  it('does short work at once', () => {
    const steps: number[] = [];
    const result = runInSlices(
      (function* () {
        for (let step = 0; step < 3; step++) yield steps.push(step);
        return 'done';
      })(),
    );
    expect(result).toBe('done');
    expect(steps).toEqual([0, 1, 2]);
  });

  it('lets others in during long work, and gives what it returns', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    const result = runInSlices(
      (function* () {
        for (let step = 0; step < 5; step++) {
          hold();
          yield;
        }
        return turns;
      })(),
    );
    expect(result).toBeInstanceOf(Promise);
    setImmediate(count);
    const seen = await result;
    isDone = true;
    expect(seen).toBeGreaterThanOrEqual(3);
  });

  it('hands on what the work throws, at once and later', async () => {
    const fail = function* (slices: number): Generator<void, never> {
      for (let slice = 0; slice < slices; slice++) {
        hold();
        yield;
      }
      throw new Error(`after ${slices}`);
    };
    expect(() => runInSlices(fail(0))).toThrow('after 0');
    await expect(runInSlices(fail(2))).rejects.toThrow('after 2');
  });

  it('is given up by its signal, and cleans up', async () => {
    const giveUp = new AbortController();
    let isCleaned = false;
    const result = runInSlices(
      (function* () {
        try {
          for (;;) {
            hold();
            yield;
          }
        } finally {
          isCleaned = true;
        }
      })(),
      giveUp.signal,
    );
    giveUp.abort(new Error('gone'));
    await expect(result).rejects.toThrow('gone');
    expect(isCleaned).toBe(true);
  });
});
