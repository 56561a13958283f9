import { afterThisTurn, realElapsed } from './clock-real.js';

/** Milliseconds of real time for which long work may hold the event loop before other work is let in. */
export const SLICE = 10;

/** Milliseconds that one of many who wait gets at least when it is its turn. */
const LEAST = 1;

/** Places of callbacks that were called beyond which the list is cut. */
const WORTH_SWEEPING = 64;

/** What the turns are told by: the real clock and event loop, or ones that a test drives. */
export interface TurnSource {
  /** Milliseconds of a clock that only runs forward. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop, in the order of calls. */
  readonly later: (callback: () => void) => void;
}

/**
 * Shares the turns of the event loop among all long work of the process: however many clients have some, all of it
 * together holds the loop for a slice or two while bytes are read, and for another while those go on who wait for their
 * turn.
 */
export class Turns {
  readonly #source: TurnSource;
  /** Those who wait, from {@link #first} on; what stands before has been called and is let go. */
  #waiting: ((() => void) | undefined)[] = [];
  #first = 0;
  /** When the slice that all share is used up. */
  #end = -Infinity;
  /** When the part of it is used up that belongs to the one whose turn it is. */
  #partEnd = -Infinity;
  /** Counts the turns in which slices began. */
  #number = 0;
  /** Whether that slice began in this turn, so that there is no other in it. */
  #isBegun = false;
  /** Whether this turn has lasted so long before anybody who waits was called that they are called in the next one. */
  #isDeferring = false;
  /** Whether somebody who waited has been called in this turn. */
  #isServing = false;

  constructor(source: TurnSource) {
    this.#source = source;
  }

  /** The number of the present slice: a larger one than before means that a new slice has begun. */
  get number(): number {
    return this.#number;
  }

  /** When work that begins now has to let other work in, by {@link TurnSource.now}. It may be in the past. */
  sliceEnd(): number {
    return this.#endAt(this.#source.now());
  }

  #endAt(now: number): number {
    if (now < this.#partEnd) return this.#partEnd;
    if (now >= this.#end && !this.#isBegun) {
      this.#begin(now);
      this.#source.later(this.#endTurn);
    }
    return this.#end;
  }

  /**
   * Whether this turn's slice is used up: whoever has done something in this turn should let other work in now.
   *
   * @param now - by {@link TurnSource.now}, where it is known already
   */
  areOver(now = this.#source.now()): boolean {
    return now >= this.#endAt(now);
  }

  /**
   * Whether this turn has lasted so long, a slice beyond the end of its slice, that new work has to {@link wait} too.
   * Until then a connection that has done nothing in this turn may do one thing at once, so that it does not wait for
   * those with much to do.
   *
   * @param now - by {@link TurnSource.now}, where it is known already
   */
  isLate(now = this.#source.now()): boolean {
    return now >= this.#endAt(now) + SLICE;
  }

  /** Calls back in a later turn. Callbacks that wait are called in order, and each gets a part of the turn's slice. */
  wait(callback: () => void): void {
    this.#waiting.push(callback);
    this.#source.later(this.#serve);
  }

  #begin(now: number): void {
    this.#isBegun = true;
    this.#number += 1;
    this.#end = now + SLICE;
  }

  /** Is called as often in each turn as there are some who wait, so that promises are settled between them. */
  readonly #serve = (): void => {
    if (this.#isDeferring) {
      this.#source.later(this.#serve);
      return;
    }
    const now = this.#source.now();
    if (!this.#isServing) {
      // Those who wait have a slice of their own: else a stream of new work would leave them nothing.
      this.#isServing = true;
      this.#begin(now);
      this.#source.later(this.#endServing);
    } else if (now >= this.#end) {
      this.#source.later(this.#serve);
      return;
    }
    const next = this.#take();
    const others = this.#waiting.length - this.#first;
    this.#partEnd = Math.min(this.#end, now + Math.max(LEAST, SLICE / (1 + others)));
    next?.();
  };

  #take(): (() => void) | undefined {
    const next = this.#waiting[this.#first];
    // A callback may hold a connection that has left.
    this.#waiting[this.#first] = undefined;
    this.#first += 1;
    if (this.#first > WORTH_SWEEPING && this.#first * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return next;
  }

  readonly #endTurn = (): void => {
    if (this.#isServing) return;
    this.#isBegun = false;
    this.#deferWhenLate();
  };

  /** What has come meanwhile is read first, once: those who wait would hold it up for as long again. */
  #deferWhenLate(): void {
    if (this.#first === this.#waiting.length || this.#source.now() < this.#end + SLICE) return;
    this.#isDeferring = true;
    this.#source.later(this.#endDeferring);
  }

  readonly #endDeferring = (): void => {
    this.#isDeferring = false;
  };

  readonly #endServing = (): void => {
    this.#isServing = false;
    this.#isBegun = false;
    // What was read since then had no slice of its own, and may have taken long all the same.
    this.#deferWhenLate();
  };
}

const KEY = Symbol.for('backlot.turns');
type Shared = typeof globalThis & { [KEY]?: Turns };

/** The turns of the process: a plugin that brings a core of its own takes part in the same. */
export const turns: Turns = ((globalThis as Shared)[KEY] ??= new Turns({
  now: realElapsed,
  later: afterThisTurn,
}));

/** Resolves in a later turn of the event loop, behind the work that waits already. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => turns.wait(resolve));
}
