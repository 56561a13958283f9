import type { JobQueue } from '@backlot/kit';
import type { Entry } from './entry.js';
import type { BrokerQueue } from './queue-types.js';
import type { DeadReason } from './queue-types.js';

/** A message that has left its queue and is to go on. */
export interface DeadLetter {
  readonly queue: BrokerQueue;
  readonly entry: Entry;
  readonly reason: DeadReason;
}

/** While more than so many wait, no further ones are made. */
const MANY = 1000;

/** Messages on their way to dead letter exchanges, in their order; each may cause further ones. */
export class DeadLetters {
  readonly #jobs: JobQueue;
  readonly #send: (letter: DeadLetter) => Iterator<unknown>;
  #waiting: DeadLetter[] = [];
  #isSending = false;

  /** @param send - routes one letter */
  constructor(jobs: JobQueue, send: (letter: DeadLetter) => Iterator<unknown>) {
    this.#jobs = jobs;
    this.#send = send;
  }

  get areMany(): boolean {
    return this.#waiting.length > MANY;
  }

  add(letter: DeadLetter): void {
    this.#waiting.push(letter);
    if (this.#isSending) return;
    this.#isSending = true;
    this.#jobs.add(this.#sendAll());
  }

  *#sendAll(): Generator {
    try {
      while (this.#waiting.length > 0) {
        const letters = this.#waiting;
        this.#waiting = [];
        for (const letter of letters) {
          const steps = this.#send(letter);
          while (steps.next().done !== true) yield;
          yield;
        }
      }
    } finally {
      this.#isSending = false;
    }
  }
}
