import type { Clock } from '@backlot/core/plugin';
import type { Database } from './database.js';
import { KeyBook } from './key-book.js';
import type { Encoded } from '../wire/long-reply.js';
import type { KeyWaiting, Store } from './store.js';

/** A command that waits for keys, such as BLPOP. */
export interface Blocking {
  readonly database: Database;
  readonly keys: readonly string[];
  /** Milliseconds; 0: for ever. */
  readonly timeout: number;
  /** Tries again now that a key has changed, step by step; `undefined` when there is still nothing. */
  attempt(key: string): Generator<undefined, Encoded | undefined>;
  /** The answer when the time is over. */
  readonly nothing: string;
  /** Whether it also tries when a key is gone. */
  readonly mindsDeletion?: boolean;
  /** The answer inside of a transaction, where nobody waits; `nothing` when absent. */
  readonly inTransaction?: string;
}

/** Somebody who waits. */
export interface Wait {
  /** Ends the wait with an answer other than what it waits for; an absent one is that of the time-out. */
  end(answer?: string): void;
  /** Gives the wait up without an answer. */
  cancel(): void;
}

interface Waiter {
  readonly blocking: Blocking;
  finish(answer: Encoded): void;
}

interface ReadyKey {
  readonly database: Database;
  readonly key: string;
}

/** Who waits for keys, first come first served. */
export class Waiters implements KeyWaiting {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waiting = new KeyBook<Waiter>();
  #ready: ReadyKey[] = [];
  #count = 0;
  /** How many of them try when a key is gone. */
  #minding = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** How many wait. */
  get count(): number {
    return this.#count;
  }

  /** Whether a key has become ready that somebody waits for: {@link serve} is to be called. */
  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Waits until the command has something, its time is over, or it is ended; `answer` is called once then. */
  wait(blocking: Blocking, answer: (reply: Encoded) => void): Wait {
    const stop = (): boolean => {
      if (isOver) return false;
      isOver = true;
      timer?.cancel();
      this.#remove(waiter);
      return true;
    };
    let isOver = false;
    const finish = (reply: Encoded): void => {
      if (stop()) answer(reply);
    };
    const waiter: Waiter = { blocking, finish };
    const timer =
      blocking.timeout === 0
        ? undefined
        : this.#clock.after(blocking.timeout, () => finish(blocking.nothing));
    this.#add(waiter);
    return { end: (reply = blocking.nothing) => finish(reply), cancel: () => void stop() };
  }

  /**
   * Serves those for whom keys have become ready, step by step: the work that follows a command, or a whole transaction,
   * before any other command.
   */
  *serve(): Generator<undefined, void> {
    while (this.#ready.length > 0) {
      const ready = this.#ready;
      this.#ready = [];
      for (const { database, key } of ready) {
        for (const waiter of this.#waiting.of(database, key)) {
          // Who waits behind the one that took the last element need not try.
          const isGone = !database.has(key);
          if (isGone && this.#minding === 0) break;
          if (isGone && waiter.blocking.mindsDeletion !== true) continue;
          const answer = yield* waiter.blocking.attempt(key);
          if (answer !== undefined) waiter.finish(answer);
          yield;
        }
      }
    }
  }

  changed(database: Database, key: string): void {
    if (this.#waiting.of(database, key).size > 0) this.#ready.push({ database, key });
  }

  replaced(database: Database, isAffected: (key: string) => boolean): void {
    for (const key of this.#waiting.keysOf(database))
      if (isAffected(key)) this.#ready.push({ database, key });
  }

  #add(waiter: Waiter): void {
    const { database, keys } = waiter.blocking;
    this.#count += 1;
    if (waiter.blocking.mindsDeletion === true) this.#minding += 1;
    for (const key of keys) this.#waiting.add(database, key, waiter);
    this.#store.waiting = this;
  }

  #remove(waiter: Waiter): void {
    const { database, keys } = waiter.blocking;
    this.#count -= 1;
    if (waiter.blocking.mindsDeletion === true) this.#minding -= 1;
    for (const key of keys) this.#waiting.delete(database, key, waiter);
    if (this.#count > 0) return;
    this.#store.waiting = undefined;
    this.#ready = [];
  }
}
