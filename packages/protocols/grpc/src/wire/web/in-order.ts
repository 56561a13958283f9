type Step = () => Promise<void> | undefined;

/** Does one step after the other, also where one takes a while. */
export class InOrder {
  readonly #waiting: Step[] = [];
  readonly #onError: (thrown: unknown) => void;
  #isBusy = false;

  /** @param onError - told what a step throws; the steps after it are forgotten */
  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  /** Does a step now, or behind those that are not done. */
  add(step: Step): void {
    this.#waiting.push(step);
    if (!this.#isBusy) this.#run();
  }

  #run(): void {
    this.#isBusy = true;
    try {
      for (let step = this.#waiting.shift(); step !== undefined; step = this.#waiting.shift()) {
        const done = step();
        if (done === undefined) continue;
        done.then(
          () => this.#run(),
          (thrown: unknown) => this.#fail(thrown),
        );
        return;
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
    this.#isBusy = false;
  }

  #fail(thrown: unknown): void {
    this.#waiting.length = 0;
    this.#isBusy = false;
    this.#onError(thrown);
  }
}
