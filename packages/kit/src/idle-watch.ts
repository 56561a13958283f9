import { timers, type Timer } from './timers.js';

const SHORTEST_PERIOD = 5;
const MAX_PERIOD = 1000;

/** What an {@link IdleWatch} watches. */
export interface IdleWatchOptions {
  /**
   * Milliseconds without activity after which `onIdle` is called. The call is never early, and at most a quarter of
   * them, or a second, late.
   */
  readonly timeout: number;
  /** Called once, when the watching has ended. */
  readonly onIdle: () => void;
  /**
   * A number that changes with activity, such as bytes read so far. It is asked a few times per time-out, so that the
   * messages themselves need no call. `NaN` means "active now".
   */
  readonly activity?: () => number;
}

/** One watched thing. */
export interface IdleMark {
  /** Says that there was activity. It costs as much as setting a boolean, so it may be called for every message. */
  touch(): void;
  /** Ends the watching. */
  cancel(): void;
}

class Mark implements IdleMark {
  touched = false;
  lastActivity: number;

  constructor(
    readonly options: IdleWatchOptions,
    readonly marks: Set<Mark>,
    public lastSeen: number,
  ) {
    this.lastActivity = options.activity?.() ?? 0;
  }

  touch(): void {
    this.touched = true;
  }

  cancel(): void {
    this.marks.delete(this);
  }
}

/**
 * Idle time-outs for many connections with one timer that looks at them a few times per time-out. The timer runs only
 * while something is watched, and does not keep the process running.
 */
export class IdleWatch {
  readonly #marks = new Set<Mark>();
  readonly #onError: (error: unknown) => void;
  #timer: Timer | undefined;
  #period = Infinity;
  #elapsed = 0;
  #lastScan = timers.now();

  /** @param onError - told what an `onIdle` callback threw */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** How many things are watched. */
  get size(): number {
    return this.#marks.size;
  }

  /** Starts watching; activity begins to count now. */
  watch(options: IdleWatchOptions): IdleMark {
    if (this.#marks.size === 0) this.#lastScan = timers.now();
    const mark = new Mark(options, this.#marks, this.#elapsed + timers.now() - this.#lastScan);
    this.#marks.add(mark);
    const period = Math.min(Math.max(options.timeout / 4, SHORTEST_PERIOD), MAX_PERIOD);
    if (period < this.#period) {
      this.#timer?.cancel();
      this.#period = period;
      this.#timer = timers.every(period, () => this.#scan(), { unref: true });
    }
    return mark;
  }

  /** Ends all watching. */
  stop(): void {
    this.#marks.clear();
    this.#rest();
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#period = Infinity;
  }

  #scan(): void {
    // When the process was held up, what clients sent meanwhile is not read yet: that time does not count.
    const real = timers.now();
    this.#elapsed += Math.min(real - this.#lastScan, 2 * this.#period);
    this.#lastScan = real;
    const now = this.#elapsed;
    for (const mark of this.#marks) {
      const activity = mark.options.activity?.() ?? 0;
      if (mark.touched || activity !== mark.lastActivity) {
        mark.touched = false;
        mark.lastActivity = activity;
        mark.lastSeen = now;
      } else if (now - mark.lastSeen >= mark.options.timeout) {
        mark.cancel();
        try {
          mark.options.onIdle();
        } catch (error) {
          this.#onError(error);
        }
      }
    }
    if (this.#marks.size === 0) this.#rest();
  }
}
