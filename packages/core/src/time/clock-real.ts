import { performance } from 'node:perf_hooks';
import type { Waiting } from './clock.js';

const MAX_TIMER = 2 ** 31 - 1;

/** Calls back once after so many milliseconds of real time, whatever the virtual clock does. */
export function afterRealTime(milliseconds: number, callback: () => void): Waiting {
  const timer = setTimeout(callback, Math.min(milliseconds, MAX_TIMER));
  timer.unref();
  return { cancel: () => clearTimeout(timer) };
}

/** Calls back once what came in meanwhile has been handled, in the order of calls. */
export function afterThisTurn(callback: () => void): void {
  setImmediate(callback);
}

/** Milliseconds of a clock that only runs forward, for durations. */
export function realElapsed(): number {
  return performance.now();
}

/**
 * A moment that several things share which are done one behind the other without a pause: the end of one message is the
 * beginning of the next, so that a batch reads the clock once for each of them and not twice.
 */
class Batch {
  /** By {@link realElapsed}; 0 outside of a batch. */
  #moment = 0;

  /**
   * Handling several messages that have come together begins. What follows must be done without a pause up to {@link end}.
   *
   * @param moment - the time now, by {@link realElapsed}
   */
  begin(moment: number): void {
    this.#moment = moment;
  }

  /** It has ended, or something else is done. */
  end(): void {
    this.#moment = 0;
  }

  /** When what begins now has begun: in a batch this is when what was done before it has ended. */
  beginning(): number {
    return this.#moment === 0 ? realElapsed() : this.#moment;
  }

  /** When what ends now has ended. */
  ending(): number {
    const moment = realElapsed();
    if (this.#moment !== 0) this.#moment = moment;
    return moment;
  }
}

/** The batch of this process: there is one event loop, and so never more than one. */
export const batch = new Batch();
