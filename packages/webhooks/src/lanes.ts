import { afterThisTurn } from './clock-real.js';

/** Starts a piece of work; the promise resolves when its place is free again. */
export type Work = () => Promise<void>;

/** Runs a bounded number of things at a time; the rest wait in order. */
export class Lanes {
  readonly #width: number;
  #waiting: Work[] = [];
  #next = 0;
  #running = 0;
  #isWoken = false;

  constructor(width: number) {
    this.#width = width;
  }

  /** Adds work that starts after the current turn at the earliest, so that whoever adds it is never held up. */
  add(work: Work): void {
    this.#waiting.push(work);
    this.#wake();
  }

  /** Forgets what waits; what runs goes on. */
  clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  #wake(): void {
    if (this.#isWoken || this.#running >= this.#width) return;
    this.#isWoken = true;
    afterThisTurn(() => {
      this.#isWoken = false;
      this.#fill();
    });
  }

  #fill(): void {
    while (this.#running < this.#width) {
      const work = this.#waiting[this.#next];
      if (work === undefined) return this.clear();
      this.#next += 1;
      this.#running += 1;
      void work().finally(() => {
        this.#running -= 1;
        this.#wake();
      });
    }
    // What has run would otherwise be held until the last in the row has.
    if (this.#next > 1_000) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
  }
}
