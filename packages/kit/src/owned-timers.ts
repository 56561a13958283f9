import { timers, type Timer } from './timers.js';

/**
 * Timers that can be cancelled together, and whose callbacks are called by one function. None of them keeps the process
 * running.
 */
export class OwnedTimers {
  readonly #run: (fn: () => unknown) => void;
  readonly #timers = new Set<Timer>();
  #isOver = false;

  /** @param run - calls a callback and deals with what it throws */
  constructor(run: (fn: () => unknown) => void) {
    this.#run = run;
  }

  after(ms: number, fn: () => unknown): Timer {
    const fire = (): void => {
      this.#timers.delete(timer);
      this.#run(fn);
    };
    const timer = timers.after(ms, fire, { unref: true });
    return this.#keep(timer);
  }

  every(ms: number, fn: () => unknown): Timer {
    return this.#keep(timers.every(ms, () => this.#run(fn), { unref: true }));
  }

  /** Cancels all timers; one that is started later never fires. */
  end(): void {
    this.#isOver = true;
    this.cancelAll();
  }

  /** Cancels all timers that were started. */
  cancelAll(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #keep(timer: Timer): Timer {
    if (this.#isOver) timer.cancel();
    else this.#timers.add(timer);
    return {
      cancel: () => {
        timer.cancel();
        this.#timers.delete(timer);
      },
    };
  }
}
