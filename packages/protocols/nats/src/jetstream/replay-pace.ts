import type { Clock, Waiting } from '@backlot/core/plugin';
import type { StoredMessage } from './stored-message.js';

/** Delivers old messages one after the other as they came (replay policy `original`). */
export class ReplayPace {
  readonly #clock: Clock;
  readonly #end: number;
  readonly #onGo: () => void;
  #waiting: Waiting | undefined;
  /** The time of the message that was let through last, or waits. */
  #last = 0;

  /**
   * @param end - the last sequence that is held back
   * @param onGo - called when the message that was held back may go
   */
  constructor(clock: Clock, end: number, onGo: () => void) {
    this.#clock = clock;
    this.#end = end;
    this.#onGo = onGo;
  }

  /** Whether a message has to wait. */
  holds({ sequence, time }: StoredMessage): boolean {
    if (sequence > this.#end) return false;
    if (this.#waiting !== undefined) return true;
    const gap = this.#last === 0 ? 0 : time - this.#last;
    this.#last = time;
    if (gap <= 1) return false;
    this.#waiting = this.#clock.after(gap, () => {
      this.#waiting = undefined;
      this.#onGo();
    });
    return true;
  }

  stop(): void {
    this.#waiting?.cancel();
  }
}
