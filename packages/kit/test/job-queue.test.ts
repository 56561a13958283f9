import { nextTurn } from '@backlot/core/plugin';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { JobQueue, NEXT_TURN, timers } from '../src/index.js';

/** Uses up the slice of a turn. */
function linger(): void {
  const end = timers.now() + 15;
  while (timers.now() < end);
}

/** Stops the clock of slices and begins one, so that it is not over however busy the machine is. */
function holdTime(): Promise<void> {
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  return nextTurn();
}

const never = (error: unknown): void => {
  throw error;
};

describe('JobQueue', () => {
  // What a test before used of the slice that all share is over then.
  beforeEach(() => nextTurn());
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('does a short job at once', async () => {
    await holdTime();
    const queue = new JobQueue({ onError: never });
    const done: number[] = [];
    queue.add(pushing(done, [1, 2]));
    expect(done).toEqual([1, 2]);
    expect(queue.isIdle).toBe(true);
  });

  it('does one slice of long jobs in a turn, those of all together, and keeps their order', async () => {
    const queue = new JobQueue({ onError: never });
    const done: string[] = [];
    queue.add(slow(done, 'a', 3));
    queue.add(slow(done, 'b', 2));
    expect(done).toEqual(['a']);
    const seen: number[] = [];
    while (!queue.isIdle) {
      await nextTurn();
      seen.push(done.length);
    }
    expect(done).toEqual(['a', 'a', 'a', 'b', 'b']);
    for (const [index, count] of seen.entries())
      expect(count - (seen[index - 1] ?? 1)).toBeLessThanOrEqual(1);
  });

  it('lets independent jobs go on by turns', async () => {
    const queue = new JobQueue({ onError: never, byTurns: true });
    const done: string[] = [];
    queue.add(slow(done, 'a', 3));
    queue.add(slow(done, 'b', 2));
    while (!queue.isIdle) await nextTurn();
    expect(done).toEqual(['a', 'b', 'a', 'b', 'a']);
  });

  it('goes on behind a job that throws', async () => {
    await holdTime();
    const errors: unknown[] = [];
    const queue = new JobQueue({ onError: (error) => errors.push(error) });
    const done: number[] = [];
    queue.add(failing());
    queue.add(pushing(done, [1]));
    expect(errors).toEqual([new Error('no')]);
    expect(done).toEqual([1]);
  });

  it('goes on in the next turn with a job that waits', async () => {
    const queue = new JobQueue({ onError: never, byTurns: true });
    const done: string[] = [];
    queue.add(waiting(done));
    expect(done).toEqual(['asked']);
    queue.add(pushing([], [1]));
    expect(done).toEqual(['asked']);
    await nextTurn();
    expect(done).toEqual(['asked', 'went on']);
  });

  it('takes a job that a job adds', async () => {
    await holdTime();
    const queue = new JobQueue({ onError: never });
    const done: number[] = [];
    queue.add(adding(queue, done));
    expect(done).toEqual([1, 2]);
  });
});

function* pushing(into: number[], numbers: readonly number[]): Generator {
  for (const number of numbers) {
    into.push(number);
    yield;
  }
}

function* slow(into: string[], name: string, steps: number): Generator {
  for (let step = 0; step < steps; step += 1) {
    linger();
    into.push(name);
    yield;
  }
}

function* failing(): Generator {
  yield;
  throw new Error('no');
}

function* adding(queue: JobQueue, done: number[]): Generator {
  queue.add(pushing(done, [2]));
  done.push(1);
  yield;
}

function* waiting(into: string[]): Generator {
  into.push('asked');
  yield NEXT_TURN;
  into.push('went on');
}
