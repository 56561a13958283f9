import { messageOf, type Log } from '@backlot/core/plugin';
import { JobQueue } from '@backlot/kit';

/** Steps of a request that are done at once: hardly a request has more. */
const AT_ONCE = 64;
/** Long requests that wait; further ones are dropped, as a network would. */
const MAX_WAITING = 100;

/** The work of one request: yields after each OID that was looked at, and a promise where it has to wait for one. */
export type Steps<T> = Generator<Promise<void> | undefined, T>;

/** Waits for a promise that is never rejected. */
export function* awaited<T>(promise: Promise<T>): Steps<T> {
  let settled: { readonly value: T } | undefined;
  yield promise.then((value) => void (settled = { value }));
  return (settled as unknown as { readonly value: T }).value;
}

/**
 * Does the work of requests: at once when there are few OIDs to look at, else in slices of later turns of the event loop, one
 * request after the other. A request may pass over each of 100,000 mocks that are as if absent.
 */
export class Walks {
  readonly #jobs: JobQueue;
  #waiting = 0;
  #round = 0;

  constructor(log: Pick<Log, 'error'>) {
    this.#jobs = new JobQueue({
      onError: (thrown) => log.error(`a request could not be answered: ${messageOf(thrown)}`, thrown),
    });
  }

  /** @returns a promise when it takes longer; it resolves with `undefined` for what was dropped */
  run<T>(steps: Steps<T>): T | Promise<Awaited<T> | undefined> {
    for (let count = 0; count < AT_ONCE; count += 1) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (step.value !== undefined) return this.#goOnAfter(step.value, steps);
    }
    if (this.#waiting >= MAX_WAITING) return Promise.resolve(undefined);
    this.#waiting += 1;
    const round = this.#round;
    return new Promise((resolve, reject) => {
      this.#jobs.add(
        this.#finish(
          steps,
          round,
          resolve as (result: T | Promise<T | undefined> | undefined) => void,
          reject,
        ),
      );
    });
  }

  /** Drops what is not finished. */
  stop(): void {
    this.#round += 1;
  }

  async #goOnAfter<T>(waited: Promise<void>, steps: Steps<T>): Promise<Awaited<T> | undefined> {
    const round = this.#round;
    await waited;
    return round === this.#round ? await this.run(steps) : undefined;
  }

  *#finish<T>(
    steps: Steps<T>,
    round: number,
    resolve: (result: T | Promise<T | undefined> | undefined) => void,
    reject: (thrown: unknown) => void,
  ): Steps<void> {
    try {
      for (;;) {
        if (round !== this.#round) return resolve(undefined);
        const step = steps.next();
        if (step.done === true) return resolve(step.value);
        // Others go on meanwhile.
        if (step.value !== undefined)
          return resolve(this.#goOnAfter(step.value, steps) as Promise<T | undefined>);
        yield;
      }
    } catch (thrown) {
      reject(thrown);
    } finally {
      this.#waiting -= 1;
    }
  }
}
