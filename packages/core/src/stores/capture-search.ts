import { runInSlices } from '../time/slices.js';

/** How many messages that came while others were looked at are held; the oldest are let go beyond that. */
const MAX_UNSEEN = 10_000;

/**
 * Looks among captured messages or entries of the journal, and those that come, for a number of them that fit; in slices,
 * between which others are served.
 */
export class CaptureSearch {
  #unseen: unknown[];
  #next = 0;
  readonly #fits: (value: unknown) => Iterator<unknown, boolean>;
  readonly #wanted: number;
  readonly #found: unknown[] = [];
  #isLooking = false;
  #looking: Promise<void> | undefined;
  /** What looking has thrown, in a list, since it may be anything. */
  #thrown: readonly unknown[] = [];

  constructor(
    values: readonly unknown[],
    fits: (value: unknown) => Iterator<unknown, boolean>,
    wanted: number,
  ) {
    this.#unseen = [...values];
    this.#fits = fits;
    this.#wanted = wanted;
  }

  /** How many were found. */
  get count(): number {
    return this.#found.length;
  }

  /** Those that fit, once there are enough. @throws what looking has thrown */
  look(): { readonly value: readonly unknown[] } | undefined {
    if (this.#thrown.length > 0) throw this.#thrown[0];
    return this.#found.length < this.#wanted ? undefined : { value: this.#found.slice(0, this.#wanted) };
  }

  /** Takes a message that has come. */
  add(value: unknown, done: () => void, signal: AbortSignal): void {
    if (this.#unseen.length - this.#next >= MAX_UNSEEN) this.#next += 1;
    this.#unseen.push(value);
    this.goOn(done, signal);
  }

  /** Looks at what was not looked at. @param done - called when all of it was, or enough was found */
  goOn(done: () => void, signal: AbortSignal): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const looking = this.#lookAtAll(signal).then(done);
    this.#looking = looking;
    void looking.finally(() => {
      if (this.#looking === looking) this.#looking = undefined;
    });
  }

  /** Resolves when it has looked at all that is there; undefined when it has. */
  settled(): Promise<void> | undefined {
    return this.#looking;
  }

  async #lookAtAll(signal: AbortSignal): Promise<void> {
    try {
      await runInSlices(this.#steps(), signal);
    } catch (thrown) {
      this.#thrown = [thrown];
      this.#isLooking = false;
    }
  }

  *#steps(): Generator<void, void> {
    while (this.#next < this.#unseen.length && this.#found.length < this.#wanted) {
      const value = this.#unseen[this.#next];
      this.#next += 1;
      const steps = this.#fits(value);
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) yield;
      if (step.value) this.#found.push(value);
      yield;
    }
    this.#unseen = this.#unseen.slice(this.#next);
    this.#next = 0;
    // Before anything else can come in.
    this.#isLooking = false;
  }
}
