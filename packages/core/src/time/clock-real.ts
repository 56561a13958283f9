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
