import { BacklotError } from '../errors.js';
import { afterRealTime } from '../time/clock-real.js';

/** What somebody waits for. */
export interface Wanted<T> {
  /** What it is, once it is there. @throws what ends the wait */
  readonly look: () => { readonly value: T } | undefined;
  /** Calls back when it is worth to look again. @returns a function that ends that */
  readonly listen: (look: () => void) => () => void;
  /** Milliseconds of real time. */
  readonly timeout: number;
  /** What looking at what was there at the end of the time takes, where that is not done at once. */
  readonly settled?: () => Promise<void> | undefined;
  /** Gives the wait up when it is aborted. */
  readonly signal: AbortSignal | undefined;
  /** What is waited for, for messages: `the wait for "a" was given up`. */
  readonly name: string;
  /** The error when the time is over. */
  readonly late: () => BacklotError;
}

/** Those who wait for something that others bring about. */
export class Waits {
  readonly #waiting = new Set<(reason: unknown) => void>();

  /** @throws BacklotError the error of `late`; `cancelled` when the wait is given up or {@link cancel} is called */
  until<T>({ look, listen, timeout, settled, signal, name, late }: Wanted<T>): Promise<T> {
    const there = look();
    if (there !== undefined) return Promise.resolve(there.value);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        timer.cancel();
        forget();
        this.#waiting.delete(fail);
        signal?.removeEventListener('abort', leave);
      };
      const fail = (reason: unknown): void => {
        end();
        reject(reason);
      };
      const leave = (): void => fail(new BacklotError('cancelled', `the wait for ${name} was given up`));
      const timer = afterRealTime(timeout, () => {
        const looking = settled?.();
        if (looking === undefined) fail(late());
        // What came in time counts, however long it takes to look at it.
        else void looking.then(() => fail(late()));
      });
      const forget = listen(() => {
        try {
          const found = look();
          if (found === undefined) return;
          end();
          resolve(found.value);
        } catch (thrown) {
          fail(thrown);
        }
      });
      this.#waiting.add(fail);
      signal?.addEventListener('abort', leave);
      if (signal?.aborted === true) leave();
    });
  }

  /** Ends every wait with an error. */
  cancel(reason: string): void {
    for (const fail of [...this.#waiting]) fail(new BacklotError('cancelled', reason));
  }
}
