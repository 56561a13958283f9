import { afterRealTime } from '@backlot/core/plugin';

/** How long one window lasts, in milliseconds of real time. */
const WINDOW = 100;

/** Lets so many things a second pass, evenly: a tenth of them in each tenth of a second that has any. */
export class Pace {
  readonly #most: number;
  #left: number;
  #window: ReturnType<typeof afterRealTime> | undefined;
  #callback: (() => void) | undefined;

  /** @param perSecond - how many may pass, 10 at least */
  constructor(perSecond: number) {
    this.#most = Math.max(1, Math.floor(perSecond / (1000 / WINDOW)));
    this.#left = this.#most;
  }

  /** Whether one more may pass now; it then counts. The first one opens a window. */
  take(): boolean {
    this.#window ??= afterRealTime(WINDOW, () => this.#over());
    this.#left -= 1;
    return this.#left >= 0;
  }

  /** Calls back once when the window is over; one call waits at a time. */
  afterWindow(callback: () => void): void {
    this.#callback = callback;
  }

  /** Nothing is called back any more. */
  end(): void {
    this.#window?.cancel();
    this.#callback = undefined;
  }

  #over(): void {
    this.#window = undefined;
    this.#left = this.#most;
    const callback = this.#callback;
    this.#callback = undefined;
    callback?.();
  }
}
