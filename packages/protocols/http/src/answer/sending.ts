import type { CompileTools, Pointer } from '@backlot/core/plugin';
import type { BrokenForm } from '@backlot/kit/http';
import type { ResponseDefinition } from '../schemas/response.js';

/** One piece of a body. */
interface Piece {
  /** Where it ends. */
  readonly end: number;
  /** Milliseconds between the piece before it, or the headers, and this one. */
  readonly wait: number;
}

/** How fast a body goes out. */
export interface Pace {
  /**
   * The piece of a body that follows what was sent.
   *
   * @param size - bytes of the whole body
   * @param sent - how many of them were sent; fewer than all
   */
  next(size: number, sent: number): Piece;
}

/** How an answer goes out that does not go out whole and at once. */
export interface Sending {
  readonly pace: Pace | undefined;
  readonly broken: BrokenForm | undefined;
}

/** Pieces of a second of `bytes_per_second`. */
const PER_SECOND = 10;

/** So many pieces of about the same size, the last one when the time is over. */
class Chunks implements Pace {
  readonly #count: number;
  readonly #over: number;

  constructor(count: number, over: number) {
    this.#count = count;
    this.#over = over;
  }

  next(size: number, sent: number): Piece {
    const count = Math.min(this.#count, size);
    const index = Math.ceil((sent * count) / size) + 1;
    return { end: Math.floor((size * index) / count), wait: this.#over / count };
  }
}

/** So many bytes in each second. */
class Rate implements Pace {
  readonly #rate: number;

  constructor(rate: number) {
    this.#rate = rate;
  }

  next(size: number, sent: number): Piece {
    const end = Math.min(size, sent + Math.max(1, Math.floor(this.#rate / PER_SECOND)));
    return { end, wait: ((end - sent) / this.#rate) * 1000 };
  }
}

/** Compiles `chunks`, `bytes_per_second` and `broken`, which a stream cannot have. */
export function compileSending(
  { chunks, bytes_per_second: rate, broken }: ResponseDefinition,
  isStream: boolean,
  tools: CompileTools,
  at: Pointer,
): Sending | undefined {
  if (chunks === undefined && rate === undefined && broken === undefined) return undefined;
  if (isStream) {
    const name = chunks !== undefined ? 'chunks' : rate !== undefined ? 'bytes_per_second' : 'broken';
    tools.problem(
      `${at}/${name}`,
      `a stream has no whole body, which ${name} needs; give its events a delay, or a fault`,
    );
  }
  if (chunks !== undefined && rate !== undefined) {
    tools.problem(`${at}/bytes_per_second`, 'cannot stand beside chunks; give one of the two');
  }
  const over = tools.duration(chunks?.over, `${at}/chunks/over`);
  const pace =
    chunks !== undefined ? new Chunks(chunks.count, over) : rate === undefined ? undefined : new Rate(rate);
  if (pace !== undefined && broken !== undefined && broken !== 'truncated') {
    tools.problem(`${at}/broken`, `${broken} sends no body, which could be slow; leave one of them out`);
  }
  return { pace, broken };
}
