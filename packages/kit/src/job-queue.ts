import { Slice, turns } from '@backlot/core/plugin';

/** Yielded by a job that waits for something: the queue goes on in the next turn of the event loop. */
export const NEXT_TURN = Symbol('next turn');

/**
 * Work that may be long, as an iterator: it yields wherever other work may be let in, and {@link NEXT_TURN} when it
 * waits for something. After a `yield`, what it has read before may have changed.
 */
export type Job = Iterator<unknown, unknown>;

/** How a queue works. */
export interface JobQueueOptions {
  /** Called with what a job threw. That job has ended; those behind it go on. */
  readonly onError: (error: unknown) => void;
  /**
   * Whether jobs take turns instead of being done one after the other, for jobs that do not depend on each other.
   * Default false.
   */
  readonly byTurns?: boolean;
}

/**
 * Does the long work of all clients of a server, within the slice of time that all work of the process shares in each
 * turn of the event loop. A job that fits into what is left of the slice is done at once.
 */
export class JobQueue {
  readonly #onError: (error: unknown) => void;
  readonly #byTurns: boolean;
  #jobs: Job[] = [];
  #first = 0;
  #isRunning = false;
  /** Whether it waits to go on. */
  #isWaiting = false;
  /** Whether a job waits for the next turn, and those behind it with it. */
  #isTurnOver = false;

  constructor({ onError, byTurns = false }: JobQueueOptions) {
    this.#onError = onError;
    this.#byTurns = byTurns;
  }

  /** Whether no job waits or is under way. */
  get isIdle(): boolean {
    return this.#first === this.#jobs.length;
  }

  /** Does a job: at once when no other waits and the slice has time left, else behind those that wait. */
  add(job: Job): void {
    this.#jobs.push(job);
    this.#run();
  }

  #run(): void {
    if (this.#isRunning || this.#isTurnOver) return;
    const slice = new Slice();
    this.#isRunning = true;
    // The first step is done at once, unless others wait already: who brings the job has been let in for it.
    let goesOn = !this.#isWaiting || !slice.isOver;
    while (goesOn && !this.isIdle) goesOn = this.#step() && !slice.isOver;
    if (this.#byTurns && !this.isIdle) this.#rotate();
    this.#isRunning = false;
    if (this.isIdle || this.#isWaiting) return;
    this.#isWaiting = true;
    turns.wait(this.#nextTurn);
  }

  /** Says whether to go on in this turn. */
  #step(): boolean {
    const job = this.#jobs[this.#first];
    try {
      const step = job?.next();
      if (step?.done === false) {
        this.#isTurnOver = step.value === NEXT_TURN;
        return !this.#isTurnOver;
      }
    } catch (error) {
      this.#onError(error);
    }
    this.#first += 1;
    if (this.#first * 2 >= this.#jobs.length) {
      this.#jobs = this.#jobs.slice(this.#first);
      this.#first = 0;
    }
    return true;
  }

  #rotate(): void {
    const job = this.#jobs[this.#first];
    if (job === undefined) return;
    this.#first += 1;
    this.#jobs.push(job);
  }

  readonly #nextTurn = (): void => {
    this.#isWaiting = false;
    this.#isTurnOver = false;
    if (!this.isIdle) this.#run();
  };
}
