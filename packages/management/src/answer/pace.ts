import { afterRealTime } from '@backlot/core/plugin';

/** How long one window lasts, in milliseconds of real time. */
const WINDOW = 200;
/** What makes a flood: so many times what passes is left out. */
const FLOOD = 10;
/** Which part of what passes otherwise passes in a flood. */
const PART = 4;

/**
 * Lets so many things a second pass, evenly: a fifth of them in each fifth of a second. What was not used is saved up, as far as a
 * burst, which passes at once. In a flood, of which nobody reads much, a quarter passes, so that it costs next to nothing.
 */
export class Pace {
  readonly #perWindow: number;
  readonly #most: number;
  #left: number;
  #window: ReturnType<typeof afterRealTime> | undefined;
  #callback: (() => number) | undefined;

  /**
   * @param perSecond - how many may pass, 10 at least
   * @param burst - how many may pass at once when nothing has passed for a while; a fifth of a second's at least
   */
  constructor(perSecond: number, burst = 0) {
    this.#perWindow = Math.floor(perSecond / (1000 / WINDOW));
    this.#most = Math.max(this.#perWindow, burst);
    this.#left = this.#most;
  }

  /** Whether one more may pass now; it then counts. */
  take(): boolean {
    this.#window ??= afterRealTime(WINDOW, () => this.#over());
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }

  /** Calls back once when the window is over, for how many were left out; one call waits at a time. */
  afterWindow(callback: () => number): void {
    this.#callback = callback;
  }

  /** Nothing is called back any more. */
  end(): void {
    this.#window?.cancel();
    this.#callback = undefined;
  }

  #over(): void {
    const callback = this.#callback;
    this.#callback = undefined;
    const isFlood = (callback?.() ?? 0) > FLOOD * this.#perWindow;
    const more = isFlood ? Math.ceil(this.#perWindow / PART) : this.#perWindow;
    this.#left = Math.min(this.#most, this.#left + more);
    // The window goes on as long as there is something to save up.
    this.#window = this.#left < this.#most ? afterRealTime(WINDOW, () => this.#over()) : undefined;
  }
}
