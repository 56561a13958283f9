import { performance } from 'node:perf_hooks';

// Node fires a longer timer at once, with a warning.
const MAX_DELAY = 2 ** 31 - 1;

/** A timer that was started. */
export interface Timer {
  /** Stops it; does nothing when it has fired or was stopped. */
  cancel(): void;
}

/** How a timer behaves. */
export interface TimerOptions {
  /** True: the timer alone does not keep the process running. Default false. */
  readonly unref?: boolean;
}

/**
 * Timers in real time, for waits of the protocol itself: heart-beats, keep-alive, idle limits, long polls,
 * retransmission. Waits that a user may skip (delays of mocks, expiry, dates) use `context.clock` instead.
 *
 * What a callback throws is not caught here: wrap it with {@link Connection.isolate}, or use {@link Connection.after}.
 */
export interface Timers {
  /** Milliseconds since a fixed moment, which is not a date; never goes back. */
  now(): number;
  /** Calls `fn` once after `ms` milliseconds, of any number; after `Infinity` never. */
  after(ms: number, fn: () => void, options?: TimerOptions): Timer;
  /**
   * Calls `fn` when this turn of the event loop has handled what came in, such as to send together what was gathered in
   * it.
   */
  afterTurn(fn: () => void): void;
  /** Calls `fn` every `ms` milliseconds (at most 2^31-1) until it is cancelled. */
  every(ms: number, fn: () => void, options?: TimerOptions): Timer;
  /**
   * Waits `ms` milliseconds.
   *
   * @throws the signal's reason as soon as it is aborted
   */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

class LongTimer implements Timer {
  readonly #fn: () => void;
  readonly #unref: boolean;
  #handle: NodeJS.Timeout | undefined;

  constructor(ms: number, fn: () => void, unref: boolean) {
    this.#fn = fn;
    this.#unref = unref;
    this.#arm(ms);
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  #arm(ms: number): void {
    const isLast = !(ms > MAX_DELAY);
    this.#handle = setTimeout(
      isLast ? this.#fn : () => this.#arm(ms - MAX_DELAY),
      isLast ? Math.max(ms, 0) : MAX_DELAY,
    );
    if (this.#unref) this.#handle.unref();
  }
}

/** The real timers of the process; see {@link Timers}. */
export const timers: Timers = {
  now: () => performance.now(),

  after: (ms, fn, options) => new LongTimer(ms, fn, options?.unref === true),

  afterTurn(fn) {
    setImmediate(fn);
  },

  every(ms, fn, options) {
    const handle = setInterval(fn, Math.min(Math.max(ms, 1), MAX_DELAY));
    if (options?.unref === true) handle.unref();
    return { cancel: () => clearInterval(handle) };
  },

  wait(ms, signal) {
    return new Promise<void>((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const stop = (): void => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      const timer = timers.after(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
};
