import { timers, type Timer } from '../timers.js';

/** Milliseconds that an answer is waited for, before the entry of its question is ended without one. */
const PATIENCE = 30_000;
/** The most questions of a client that wait at a time; the oldest one waits no more then. */
const MAX_WAITING = 1_000;

/** A message that waits for the one that answers it. */
interface Waiting<A> {
  readonly key: string;
  readonly passes: boolean;
  readonly resolve: (answer: A | undefined) => void;
  readonly timer: Timer;
}

/** The messages of one client that wait for a message that answers them, by what names the answer, such as its subject. */
export class AwaitedAnswers<A> {
  /** In the order in which they began to wait. */
  readonly #waiting = new Set<Waiting<A>>();
  readonly #byKey = new Map<string, Waiting<A>[]>();

  /**
   * Waits for an answer.
   *
   * @param passes - whether the answer is for the client
   * @returns the answer; `undefined` when none comes in 30 seconds, or before the client leaves
   */
  wait(key: string, passes: boolean): Promise<A | undefined> {
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size >= MAX_WAITING) this.#settle(oldest, undefined);
    return new Promise((resolve) => {
      const waiting: Waiting<A> = {
        ...{ key, passes, resolve },
        timer: timers.after(PATIENCE, () => this.#settle(waiting, undefined)),
      };
      this.#waiting.add(waiting);
      const same = this.#byKey.get(key);
      if (same === undefined) this.#byKey.set(key, [waiting]);
      else same.push(waiting);
    });
  }

  /** Whether something waits for an answer of this name. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /**
   * Gives an answer to the message that has waited for it the longest.
   *
   * @returns whether the answer is for the client; `undefined` when nothing waits for it
   */
  take(key: string, answer: A): boolean | undefined {
    const waiting = this.#byKey.get(key)?.[0];
    if (waiting === undefined) return undefined;
    this.#settle(waiting, answer);
    return waiting.passes;
  }

  /** Nothing waits any more. */
  end(): void {
    for (const waiting of this.#waiting) this.#settle(waiting, undefined);
  }

  #settle(waiting: Waiting<A>, answer: A | undefined): void {
    const { key, timer, resolve } = waiting;
    timer.cancel();
    this.#waiting.delete(waiting);
    const others = this.#byKey.get(key)?.filter((one) => one !== waiting) ?? [];
    if (others.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, others);
    resolve(answer);
  }
}
