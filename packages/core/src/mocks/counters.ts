import type { LogCounter } from '../journal/log-counter.js';

const FIRST_ROOM = 64;

/**
 * The counts of the mocks of one kind, side by side in one column. A match changes two of them; among thousands of
 * mocks an object for each would be one more that is not in the processor's caches.
 */
export class Counters {
  /** How many wait for calls of some mock; while it is 0, a match need not look. */
  waiting = 0;
  /** The change at which all calls were last cleared; see `SharedCounts.revision`. */
  clearedAt = 0;
  // Calls and log entries in turn, by slot.
  #counts = new Float64Array(2 * FIRST_ROOM);
  readonly #ids: (string | undefined)[] = [];
  readonly #free: number[] = [];

  /** @param revision - gives the number of the change that is being made */
  constructor(readonly revision: () => number = () => 0) {}

  /** Makes the counter of a mock, with nothing counted. */
  create(id: string): MockCounter {
    const slot = this.#free.pop() ?? this.#ids.length;
    if (2 * slot >= this.#counts.length) {
      const wider = new Float64Array(2 * this.#counts.length);
      wider.set(this.#counts);
      this.#counts = wider;
    }
    this.#ids[slot] = id;
    this.#counts[2 * slot] = 0;
    this.#counts[2 * slot + 1] = 0;
    return new MockCounter(this, id, slot);
  }

  /** Sets all counts of calls to 0. */
  clearCalls(): void {
    this.clearedAt = this.revision();
    for (let slot = 0; slot < this.#ids.length; slot += 1) this.#counts[2 * slot] = 0;
  }

  /** Gives the place of a counter free. */
  release(counter: MockCounter): void {
    counter.isReleased = true;
    this.#ids[counter.slot] = undefined;
    this.#free.push(counter.slot);
  }

  /** The mocks that have matched, with how often. */
  *called(): Generator<readonly [id: string, calls: number]> {
    for (let slot = 0; slot < this.#ids.length; slot += 1) {
      const calls = this.callsOf(slot);
      if (calls === 0) continue;
      const id = this.#ids[slot];
      if (id !== undefined) yield [id, calls];
    }
  }

  callsOf(slot: number): number {
    return this.#counts[2 * slot] ?? 0;
  }

  setCalls(slot: number, calls: number): void {
    this.#counts[2 * slot] = calls;
  }

  /** Counts a match. Gives the number of the call, from 1. */
  call(slot: number): number {
    const call = (this.#counts[2 * slot] ?? 0) + 1;
    this.#counts[2 * slot] = call;
    return call;
  }

  loggedOf(slot: number): number {
    return this.#counts[2 * slot + 1] ?? 0;
  }

  setLogged(slot: number, logged: number): void {
    this.#counts[2 * slot + 1] = logged;
  }

  /** Counts a log entry of a mock; not when its place was given to another since it matched. */
  log(slot: number, id: string): void {
    if (this.#ids[slot] === id) this.#counts[2 * slot + 1] = (this.#counts[2 * slot + 1] ?? 0) + 1;
  }
}

/** The counts of one mock, shared by all versions of it. */
export class MockCounter implements LogCounter {
  /** Whether its place was given free: it counts nothing any more. */
  isReleased = false;
  #waiters: Set<() => void> | undefined = undefined;

  constructor(
    private readonly counters: Counters,
    readonly id: string,
    readonly slot: number,
  ) {}

  /** Matches since call counts were last cleared. */
  get calls(): number {
    return this.counters.callsOf(this.slot);
  }

  set calls(calls: number) {
    this.counters.setCalls(this.slot, calls);
  }

  /** The change that is being made, and that by which all calls were last cleared. */
  get revision(): number {
    return this.counters.revision();
  }

  get clearedAt(): number {
    return this.counters.clearedAt;
  }

  get logged(): number {
    return this.counters.loggedOf(this.slot);
  }

  set logged(logged: number) {
    this.counters.setLogged(this.slot, logged);
  }

  get hasWaiters(): boolean {
    return this.#waiters !== undefined && this.#waiters.size > 0;
  }

  /** Calls back at each match, until the function that it gives is called. */
  onCall(waiter: () => void): () => void {
    const waiters = (this.#waiters ??= new Set());
    waiters.add(waiter);
    this.counters.waiting += 1;
    return () => {
      if (waiters.delete(waiter)) this.counters.waiting -= 1;
    };
  }

  /** Tells those who wait that there was a match. */
  wake(): void {
    if (this.#waiters !== undefined) for (const waiter of this.#waiters) waiter();
  }
}
