import type { Clock } from '@backlot/core/plugin';
import type { Store } from './data/store.js';

/** Rings when the next key expires, for those who have to know of it at its moment. */
export class ExpiryAlarm {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: ReturnType<Clock['after']> | undefined;
  #timerAt = Infinity;

  constructor(store: Store, clock: Clock, ring: () => void) {
    this.#store = store;
    this.#clock = clock;
    this.#ring = ring;
  }

  /**
   * Sets the alarm for the key that expires next; to be called again whenever that may be another one, and once it has rung.
   *
   * @param isWanted - whether anybody has to know; no timer runs otherwise
   */
  set(isWanted: boolean): void {
    const wanted = isWanted ? this.#store.nextExpiry : Infinity;
    if (wanted === this.#timerAt) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = wanted;
    if (wanted === Infinity) return;
    this.#timer = this.#clock.after(Math.max(wanted - this.#clock.now(), 0), () => {
      this.#timerAt = Infinity;
      this.#ring();
    });
  }
}
