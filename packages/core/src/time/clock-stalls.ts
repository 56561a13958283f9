import { performance } from 'node:perf_hooks';

/** Milliseconds for which the event loop may be held before a stall is reported. */
export const STALL = 200;

/** Milliseconds between two looks at whether the event loop comes round. */
const BEAT = 100;
/** So often does a processor that others want take the process off itself while it works, in times a second. */
const OFTEN = 10;

/** Work that has held the event loop for longer than {@link STALL}. */
export interface Stall {
  /** When it began, in milliseconds of a clock that only runs forward. */
  readonly began: number;
  /** Milliseconds. */
  readonly duration: number;
  /**
   * What was running, such as `POST /api/mocks/http`; absent for work of a connection, which `remote` and `port` name.
   */
  readonly what?: string;
  /** The other end of the connection whose bytes were handled, as `address:port`. */
  readonly remote?: string;
  /** The port on this side. */
  readonly port?: number;
}

/** Is told of a stall. Gives `true` when the stall belongs to it, so that no further listener is told. */
export type StallListener = (stall: Stall) => boolean;

interface Beat {
  readonly at: number;
  readonly processor: number;
  readonly switches: number;
}

/**
 * Finds work that has held the event loop for more than {@link STALL} milliseconds, and tells its listeners. Code that
 * calls a plugin or a handler measures it and reports what took too long. For work that was not measured there is a
 * timer, ten times a second: one that fires late shows a stall. A stall is not reported when the process had to wait
 * for a processor for most of it and has worked for less than {@link STALL} milliseconds.
 */
export class StallWatch {
  readonly #listeners = new Set<StallListener>();
  #timer: NodeJS.Timeout | undefined;
  #beat: Beat = { at: 0, processor: 0, switches: 0 };
  /** When the last stall that was reported ended. */
  #reportedUntil = 0;

  /** Reports work that ends now, when it has taken too long. @param began - when it began, by `performance.now()` */
  ended(began: number, about: Omit<Stall, 'began' | 'duration'>): void {
    const now = performance.now();
    if (now - began <= STALL || this.#listeners.size === 0) return;
    this.#reportedUntil = now;
    if (this.#wasStarved(now - began)) return;
    this.#tell({ ...about, began, duration: now - began });
  }

  /** Says that what has held the event loop until now was meant to, such as the loading of code: it is not reported. */
  excuse(): void {
    this.#reportedUntil = performance.now();
  }

  /**
   * Runs work, and reports it when it took too long. When the work gives a promise, only its synchronous part is
   * measured.
   *
   * @param describe - says what it was; called only for work that took too long
   */
  measure<T>(work: () => T, describe: () => Omit<Stall, 'began' | 'duration'>): T {
    const began = performance.now();
    try {
      return work();
    } finally {
      if (performance.now() - began > STALL) this.ended(began, describe());
    }
  }

  /**
   * Tells a listener of stalls, in the order in which listeners came, until one takes the stall.
   *
   * @returns a function that ends that
   */
  listen(listener: StallListener): () => void {
    this.#listeners.add(listener);
    if (this.#timer === undefined) {
      this.#beat = readBeat();
      this.#timer = setInterval(() => this.#onBeat(), BEAT);
      this.#timer.unref();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #onBeat(): void {
    const late = performance.now() - this.#beat.at - BEAT;
    if (late > STALL && this.#reportedUntil <= this.#beat.at && !this.#wasStarved(late)) {
      this.#tell({ began: this.#beat.at, duration: late });
    }
    this.#beat = readBeat();
  }

  /** Whether the process waited for a processor for most of the time since the last beat. */
  #wasStarved(duration: number): boolean {
    const { processor, switches } = readBeat();
    const worked = processor - this.#beat.processor;
    const isIdle = worked < duration / 2 && worked < STALL;
    return isIdle && switches - this.#beat.switches > (duration / 1000) * OFTEN;
  }

  #tell(stall: Stall): void {
    for (const listener of this.#listeners) if (listener(stall)) return;
    if (stall.port === undefined) return;
    // A further port of a kind, which only the kind knows: it is told by what came last.
    const { port: _, ...portless } = stall;
    for (const listener of this.#listeners) if (listener(portless)) return;
  }
}

function readBeat(): Beat {
  const { userCPUTime, systemCPUTime, involuntaryContextSwitches } = process.resourceUsage();
  return {
    at: performance.now(),
    processor: (userCPUTime + systemCPUTime) / 1000,
    switches: involuntaryContextSwitches,
  };
}

const KEY = Symbol.for('backlot.stalls');
type Shared = typeof globalThis & { [KEY]?: StallWatch };

/** The watch of the process: a plugin that brings a core of its own reports to the same. */
export const stalls: StallWatch = ((globalThis as Shared)[KEY] ??= new StallWatch());
