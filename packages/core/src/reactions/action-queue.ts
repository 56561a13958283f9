import type { Clock, Waiting } from '../time/clock.js';

/** So many actions may wait for their delay at one time. */
const MOST_WAITING = 10_000;

/** Actions that wait for their delay, or for their turn. */
export class ActionQueue {
  readonly #clock: Clock;
  readonly #waits = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back after so many milliseconds of virtual time, in a later turn also for 0. @throws Error when too many wait */
  add(after: number, act: () => void): void {
    if (this.#waits.size >= MOST_WAITING) throw new Error(`${MOST_WAITING} actions wait already`);
    const waiting = this.#clock.after(after, () => {
      this.#waits.delete(waiting);
      act();
    });
    this.#waits.add(waiting);
  }

  clear(): void {
    for (const waiting of this.#waits) waiting.cancel();
    this.#waits.clear();
  }
}
