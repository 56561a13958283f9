import { ByteQueue } from '../framing/byte-queue.js';
import { toError } from '../thrown.js';

/** The longest frame that is looked at; a longer one passes as it comes. */
export const MAX_WATCHED_FRAME = 4 * 1024 * 1024;

/** What is passed on: the frame as it is, nothing, or these bytes in its place. */
export type FrameFate = 'pass' | 'drop' | Uint8Array;

/** What a kind makes of the bytes of one direction. One for each direction of each connection. */
export interface FrameSide {
  /**
   * Tells how long the frame is that begins at `start`. Asked again with the same bytes and more while it cannot tell.
   *
   * @returns its length in bytes, also when not all of it is there; 0 while that cannot be told
   * @throws FramingError for bytes that cannot be a frame
   */
  measure(bytes: Buffer, start: number, end: number): number;
  /** The longest frame like the one measured last that is looked at; {@link MAX_WATCHED_FRAME} when absent. */
  readonly longest?: number;
  /**
   * Looks at a frame, a view that stays valid.
   *
   * @returns what is passed on; while a promise is pending, what comes behind it waits
   */
  take(frame: Buffer): FrameFate | Promise<FrameFate>;
}

/** What a pipe works with. */
export interface FramePipeEnds {
  /** Passes bytes on. */
  write(data: Uint8Array): void;
  /** Reads no more for now, or goes on. */
  hold(isHeld: boolean): void;
  /** Nothing more is read of what passes, which passes all the same. */
  lost(problem: Error): void;
  /** Calls back when all that came has passed and no more comes. */
  ended(): void;
}

/**
 * Passes the bytes of one direction on, frame by frame, with a look at each. Bytes that cannot be a frame, and a frame that cannot
 * be understood, end the looking and not the passing.
 */
export class FramePipe {
  readonly #side: FrameSide;
  readonly #ends: FramePipeEnds;
  readonly #queue = new ByteQueue();
  /** Of the frame that begins in the queue; 0 while it is not known. */
  #length = 0;
  /** Bytes of a long frame that are still to come. */
  #unseen = 0;
  /** Frames that wait for its end. */
  readonly #inserted: Uint8Array[] = [];
  #isHeld = false;
  #isLost = false;
  #hasEnded = false;

  constructor(side: FrameSide, ends: FramePipeEnds) {
    this.#side = side;
    this.#ends = ends;
  }

  /** Takes bytes. */
  push(chunk: Buffer): void {
    this.#queue.append(chunk);
    this.#run();
  }

  /** Passes frames that have not come beside those that have: behind a long one that passes as it comes. */
  insert(data: Uint8Array): void {
    if (this.#unseen === 0) this.#ends.write(data);
    else this.#inserted.push(data);
  }

  /** No more bytes come. */
  end(): void {
    this.#hasEnded = true;
    this.#run();
  }

  #run(): void {
    const passing: Buffer[] = [];
    while (!this.#isHeld && this.#queue.length > 0) {
      const part = this.#next();
      if (part === undefined) break;
      if (part.length > 0) passing.push(part);
    }
    this.#flush(passing);
    this.#queue.settle();
    if (!this.#hasEnded || this.#isHeld) return;
    // What is no whole frame is passed as well.
    this.#flush([this.#cut(this.#queue.length)]);
    this.#ends.ended();
  }

  /** What is to be passed of the next frame; `undefined` when more has to come first. */
  #next(): Buffer | undefined {
    const queue = this.#queue;
    if (this.#isLost) return this.#cut(queue.length);
    if (this.#unseen > 0) {
      const part = this.#cut(Math.min(this.#unseen, queue.length));
      this.#unseen -= part.length;
      return this.#unseen === 0 ? Buffer.concat([part, ...this.#inserted.splice(0)]) : part;
    }
    try {
      if (this.#length === 0) this.#length = this.#side.measure(queue.bytes, queue.start, queue.end);
      if (this.#length === 0 && queue.length > MAX_WATCHED_FRAME)
        throw new Error(`the end of a frame is not within ${MAX_WATCHED_FRAME} bytes`);
    } catch (thrown) {
      this.#lose(thrown);
      return this.#cut(queue.length);
    }
    const length = this.#length;
    if (length === 0) return undefined;
    if (length > (this.#side.longest ?? MAX_WATCHED_FRAME)) {
      this.#length = 0;
      this.#unseen = length;
      return NOTHING;
    }
    if (queue.length < length) return undefined;
    this.#length = 0;
    return this.#take(this.#cut(length));
  }

  #take(frame: Buffer): Buffer {
    let fate: FrameFate | Promise<FrameFate>;
    try {
      fate = this.#side.take(frame);
    } catch (thrown) {
      this.#lose(thrown);
      return frame;
    }
    if (!(fate instanceof Promise)) return bytesOf(fate, frame);
    this.#isHeld = true;
    this.#ends.hold(true);
    fate
      .catch((thrown: unknown): FrameFate => {
        this.#lose(thrown);
        return 'pass';
      })
      .then((late) => {
        this.#isHeld = false;
        this.#flush([bytesOf(late, frame)]);
        this.#run();
        if (!this.#isHeld) this.#ends.hold(false);
      })
      .catch((thrown: unknown) => this.#lose(thrown));
    return NOTHING;
  }

  #lose(thrown: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#ends.lost(toError(thrown));
  }

  #cut(length: number): Buffer {
    const { bytes, start } = this.#queue;
    this.#queue.consume(length);
    return bytes.subarray(start, start + length);
  }

  #flush(parts: readonly Buffer[]): void {
    const [first = NOTHING] = parts;
    const whole = parts.length < 2 ? first : Buffer.concat(parts);
    if (whole.length > 0) this.#ends.write(whole);
  }
}

const NOTHING = Buffer.alloc(0);

function bytesOf(fate: FrameFate, frame: Buffer): Buffer {
  if (fate === 'pass') return frame;
  return fate === 'drop' ? NOTHING : Buffer.from(fate.buffer, fate.byteOffset, fate.byteLength);
}
