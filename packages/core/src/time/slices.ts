import { realElapsed } from './clock-real.js';
import { nextTurn, turns } from './turns.js';

/**
 * The time that work may take before it lets other work in: ask {@link isOver} after each step of work that may be
 * long. All work of the process shares the slices of a turn of the event loop ({@link Turns}), so a slice may be over
 * when it begins: do at least one step.
 */
export class Slice {
  #end = turns.sliceEnd();

  /** Whether the slice is used up, so that other work is to be let in. */
  get isOver(): boolean {
    return realElapsed() >= this.#end;
  }

  /** Begins a new slice now. */
  restart(): void {
    this.#end = turns.sliceEnd();
  }
}

/**
 * Runs long work in slices. The work is a generator that yields wherever other work may be let in. When it fits into
 * one slice it is done at once, and its result is given without a promise; longer work goes on in later turns of the
 * event loop. After a `yield`, what the work has read before may have changed.
 *
 * @param steps - the work; what it yields is ignored, what it returns is the result
 * @param signal - when it is aborted, the work ends at its next `yield`, and the promise is rejected with the signal's
 * reason
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
