import type { Clock } from '@backlot/core/plugin';
import type { Database } from './database.js';
import type { Store } from './store.js';

/** A command that waits for keys, such as BLPOP. */
export interface Blocking {
  readonly database: Database;
  readonly keys: readonly string[];
  /** Milliseconds; 0: for ever. */
  readonly timeout: number;
  /** Tries again; `undefined` when there is still nothing. */
  attempt(): string | undefined;
  /** The answer when the time is over. */
  readonly nothing: string;
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
  finish(answer: string): void;
}

/** Who waits for keys, first come first served. */
export class Waiters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Set<Waiter>>();
  #ready: string[] = [];
  #count = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** How many wait. */
  get count(): number {
    return this.#count;
  }

  /** Waits until the command has something, its time is over, or it is ended; `answer` is called once then. */
  wait(blocking: Blocking, answer: (reply: string) => void): Wait {
    const stop = (): boolean => {
      if (isOver) return false;
      isOver = true;
      timer?.cancel();
      this.#remove(waiter);
      return true;
    };
    let isOver = false;
    const finish = (reply: string): void => {
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

  /** Serves those for whom keys have become ready; called when a command, or a whole transaction, has been carried out. */
  serve(): void {
    while (this.#ready.length > 0) {
      const ready = this.#ready;
      this.#ready = [];
      for (const id of ready) {
        for (const waiter of [...(this.#byKey.get(id) ?? [])]) {
          const answer = waiter.blocking.attempt();
          if (answer !== undefined) waiter.finish(answer);
        }
      }
    }
  }

  #add(waiter: Waiter): void {
    this.#count += 1;
    for (const id of idsOf(waiter)) {
      const waiting = this.#byKey.get(id);
      if (waiting === undefined) this.#byKey.set(id, new Set([waiter]));
      else waiting.add(waiter);
    }
    this.#store.onReady = (database, key) => {
      const id = idOf(database, key);
      if (this.#byKey.has(id)) this.#ready.push(id);
    };
  }

  #remove(waiter: Waiter): void {
    this.#count -= 1;
    for (const id of idsOf(waiter)) {
      const waiting = this.#byKey.get(id);
      waiting?.delete(waiter);
      if (waiting?.size === 0) this.#byKey.delete(id);
    }
    if (this.#count === 0) {
      this.#store.onReady = undefined;
      this.#ready = [];
    }
  }
}

function idOf(database: Database, key: string): string {
  return `${database.index} ${key}`;
}

function idsOf({ blocking }: Waiter): string[] {
  return blocking.keys.map((key) => idOf(blocking.database, key));
}
