import { realElapsed } from './clock-real.js';
import { nextTurn, turns } from './turns.js';

/**
 * How much of a slice has passed: ask after each step of work that may be long. All work of the process shares the slices
 * of a turn of the event loop ({@link Turns}), so that one may be over when it begins; do one step at least.
 */
export class Slice {
  #end = turns.sliceEnd();

  /** Whether the slice is used up, so that others are to be let in. */
  get isOver(): boolean {
    return realElapsed() >= this.#end;
  }

  /** Begins a new slice now. */
  restart(): void {
    this.#end = turns.sliceEnd();
  }
}

/**
 * Runs long work in slices: a generator that yields wherever others may be let in. Work that fits into one slice is done
 * at once, without a promise; longer work goes on in later turns of the event loop. What it reads may have changed
 * after a `yield`.
 *
 * @param steps - the work; what it yields is ignored, what it returns is the result
 * @param signal - gives the work up at its next `yield`, with the signal's reason
 * @throws what the work throws
 */
export function runInSlices<T>(steps: Iterator<unknown, T>, signal?: AbortSignal): T | Promise<T> {
  const slice = new Slice();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slice.isOver) return goOn(steps, slice, signal);
  }
}

/** Runs work that could be done in slices to its end now. */
export function runAtOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

async function goOn<T>(
  steps: Iterator<unknown, T>,
  slice: Slice,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (;;) {
    await nextTurn();
    if (signal?.aborted === true) {
      steps.return?.();
      throw signal.reason;
    }
    slice.restart();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (slice.isOver) break;
    }
  }
}
