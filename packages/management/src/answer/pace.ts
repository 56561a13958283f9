/** How long one window lasts, in milliseconds of real time. */
const WINDOW = 100;

/** Lets so many things a second pass, evenly: a tenth of them in each tenth of a second. */
export class Pace {
  readonly #most: number;
  #left: number;
  #windowEnd = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param perSecond - how many may pass, 10 at least */
  constructor(perSecond: number) {
    this.#most = Math.max(1, Math.floor(perSecond / (1000 / WINDOW)));
    this.#left = this.#most;
  }

  /** Whether one more may pass now; it then counts. */
  take(): boolean {
    const now = performance.now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + WINDOW;
      this.#left = this.#most;
    }
    this.#left -= 1;
    return this.#left >= 0;
  }

  /** Calls back once when the window is over; one call waits at a time. */
  afterWindow(callback: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      callback();
    }, WINDOW);
  }

  /** Nothing is called back any more. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
