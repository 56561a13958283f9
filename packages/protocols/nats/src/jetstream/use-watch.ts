import type { Clock, Waiting } from '@backlot/core/plugin';
import { toMilliseconds } from './dates.js';

/** Tells when a consumer has not been used for so long that it goes. */
export class UseWatch {
  readonly #clock: Clock;
  readonly #isUsed: () => boolean;
  readonly #onUnused: () => void;
  #threshold = 0;
  #waiting: Waiting | undefined;
  /** When it was used last; milliseconds. */
  last: number;

  /**
   * @param isUsed - whether it is being used now
   * @param onUnused - called when it has been unused for too long
   */
  constructor(clock: Clock, isUsed: () => boolean, onUnused: () => void) {
    this.#clock = clock;
    this.#isUsed = isUsed;
    this.#onUnused = onUnused;
    this.last = clock.now();
  }

  /** It is used now. */
  used(): void {
    this.last = this.#clock.now();
  }

  /** @param threshold - how long it may be unused; nanoseconds, 0: for ever */
  watch(threshold = 0): void {
    this.#threshold = toMilliseconds(threshold);
    this.used();
    this.#wait(this.#threshold);
  }

  stop(): void {
    this.#waiting?.cancel();
  }

  #wait(milliseconds: number): void {
    this.#waiting?.cancel();
    if (milliseconds === 0) return;
    this.#waiting = this.#clock.after(milliseconds, () => {
      if (this.#isUsed()) this.used();
      const left = this.last + this.#threshold - this.#clock.now();
      if (left > 0) this.#wait(left);
      else this.#onUnused();
    });
  }
}
