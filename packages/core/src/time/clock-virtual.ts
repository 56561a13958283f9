import type { ClockView, ControlledClock, StampingClock, Waiting } from './clock.js';
import { realElapsed } from './clock-real.js';
import { SLICE } from './turns.js';
import { WaitHeap, type HeapItem } from './wait-heap.js';

const MAX_TIMER = 2 ** 31 - 1;

/** Milliseconds for which the distance of date and elapsed time is taken as it was. */
const BASE_HOLDS = 1_000;

/**
 * Milliseconds by which a wait may lie ahead and is due all the same. Times are sums of fractions, so that three seconds and
 * twelve more may come to a little less than fifteen.
 */
const ROUNDING = 0.001;

class Wait implements Waiting, HeapItem {
  cancelled = false;

  constructor(
    readonly due: number,
    readonly order: number,
    readonly callback: () => void,
    private readonly owner: { forget(): void },
  ) {}

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.owner.forget();
  }
}

/**
 * The clock of a host. Dates are the system's plus an offset; waits count elapsed virtual time, which never runs
 * backwards, so that setting the date back does not make anybody wait longer.
 */
export class VirtualClock implements ControlledClock, StampingClock {
  readonly #waits = new WaitHeap<Wait>();
  readonly #onError: (thrown: unknown) => void;
  #offset = 0;
  /** Milliseconds by which the system's date is taken to be earlier than it is. */
  #behind = 0;
  /** The system's date less elapsed real time; read anew now and then, since a machine that slept has lost time. */
  #base = 0;
  #baseReadAt = -Infinity;
  #frozenNow: number | undefined;
  #shift = 0;
  #frozenElapsed = 0;
  #order = 0;
  #cancelled = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerDue = Infinity;

  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  now(): number {
    return this.#frozenNow ?? this.#date() + this.#offset;
  }

  dateAt(elapsed: number): number {
    if (this.#frozenNow !== undefined) return this.#frozenNow;
    if (elapsed - this.#baseReadAt > BASE_HOLDS) {
      this.#base = this.#date() - elapsed;
      this.#baseReadAt = elapsed;
    }
    return this.#base + elapsed + this.#offset;
  }

  after(milliseconds: number, callback: () => void): Waiting {
    const wait = new Wait(this.#elapsed() + Math.max(0, milliseconds), this.#order++, callback, this);
    this.#waits.push(wait);
    this.#arm();
    return wait;
  }

  view(): ClockView {
    const real = this.#date();
    const now = this.#frozenNow ?? real + this.#offset;
    return {
      now: new Date(now).toISOString(),
      frozen: this.#frozenNow !== undefined,
      offset_ms: Math.round(now - real),
    };
  }

  async advance(milliseconds: number): Promise<void> {
    const target = this.#elapsed() + milliseconds;
    const targetDate = this.now() + milliseconds;
    for (;;) {
      const next = this.#waits.peek();
      if (next === undefined || next.due > target + ROUNDING) break;
      this.#moveTo(Math.max(next.due, this.#elapsed()));
      this.#fireDue();
      // What a callback started through promises may wait again before the target.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (this.#elapsed() < target) this.#moveTo(target);
    // Dates are whole milliseconds and may lag behind by a fraction: what expires now has expired.
    if (this.#frozenNow === undefined) this.#offset += Math.max(0, targetDate - this.now());
    this.#arm();
  }

  freeze(frozen: boolean): void {
    if (frozen === (this.#frozenNow !== undefined)) return;
    if (frozen) {
      const elapsed = this.#elapsed();
      this.#frozenNow = this.now();
      this.#frozenElapsed = elapsed;
    } else {
      this.#offset = this.now() - this.#date();
      this.#shift = this.#frozenElapsed - performance.now();
      this.#frozenNow = undefined;
    }
    this.#arm();
  }

  async setNow(epochMilliseconds: number): Promise<void> {
    const ahead = epochMilliseconds - this.now();
    if (ahead > 0) return this.advance(ahead);
    if (this.#frozenNow === undefined) this.#offset += ahead;
    else this.#frozenNow = epochMilliseconds;
  }

  /** See {@link followFrom}. */
  get behind(): number {
    return this.#behind;
  }

  async followFrom(behind: number): Promise<void> {
    const passes = this.#behind - behind;
    // A frozen clock does not see that time passes.
    if (passes > 0 && this.#frozenNow === undefined) {
      const offset = this.#offset;
      await this.advance(passes);
      this.#offset = offset;
    }
    this.#behind = behind;
    this.#baseReadAt = -Infinity;
  }

  /** Back to real time; waits go on with what they had left. */
  reset(): void {
    this.freeze(false);
    this.#offset = 0;
    this.#arm();
  }

  /** Forgets all waits; nothing calls back any more. */
  stop(): void {
    this.#waits.keep(() => false);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerDue = Infinity;
  }

  /** A wait was cancelled; they are swept once most of the heap is cancelled ones. */
  forget(): void {
    this.#cancelled += 1;
    if (this.#cancelled < 64 || this.#cancelled * 2 < this.#waits.size) return;
    this.#waits.keep((wait) => !wait.cancelled);
    this.#cancelled = 0;
  }

  #date(): number {
    return Date.now() - this.#behind;
  }

  #elapsed(): number {
    return this.#frozenNow === undefined ? performance.now() + this.#shift : this.#frozenElapsed;
  }

  #moveTo(elapsed: number): void {
    const by = elapsed - this.#elapsed();
    if (this.#frozenNow === undefined) {
      this.#shift += by;
      this.#offset += by;
    } else {
      this.#frozenElapsed += by;
      this.#frozenNow += by;
    }
  }

  /** Calls back what is due now, as much of it as fits into a slice; whoever calls comes again for the rest. */
  #fireDue(): void {
    const elapsed = this.#elapsed();
    // A slice of its own: nobody else calls back what is due, however much work others have.
    for (const end = realElapsed() + SLICE; realElapsed() < end;) {
      const next = this.#waits.peek();
      if (next === undefined || next.due > elapsed + ROUNDING) return;
      this.#waits.pop();
      if (next.cancelled) {
        this.#cancelled = Math.max(0, this.#cancelled - 1);
        continue;
      }
      // Marked so that a late cancel is not counted as one that still waits.
      next.cancelled = true;
      try {
        next.callback();
      } catch (thrown) {
        this.#onError(thrown);
      }
    }
  }

  #arm(): void {
    const next = this.#waits.peek();
    if (next === undefined || this.#frozenNow !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#timerDue = Infinity;
      return;
    }
    const wake = next.due - this.#shift;
    if (this.#timer !== undefined && this.#timerDue === wake) return;
    clearTimeout(this.#timer);
    this.#timerDue = wake;
    const milliseconds = Math.min(MAX_TIMER, Math.max(1, Math.ceil(wake - performance.now())));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#timerDue = Infinity;
      this.#fireDue();
      this.#arm();
    }, milliseconds);
    this.#timer.unref();
  }
}
