import { ByteQueue } from './byte-queue.js';
import { FramingError } from './framing-error.js';

/** Is given one frame. When it returns `'halt'`, no further frame comes until {@link Framer.resume}. */
export type OnFrame = (frame: Buffer) => unknown;

/**
 * Cuts a stream of chunks into frames. A protocol with a framing of its own extends this class and says in `measure`
 * where the next frame ends; this class gathers the bytes, limits memory and halts.
 *
 * A frame is a view of the received bytes, and stays valid. Copy a small one that is held for long, since it keeps the
 * whole chunk in memory. After a {@link FramingError} the waiting bytes are dropped, since nobody knows where the next
 * frame begins.
 */
export abstract class Framer {
  readonly #queue = new ByteQueue();
  #expected = -1;
  #isRunning = false;
  #isHalted = false;

  /** Of the frame just measured: how many bytes to leave out in front of it, and how many it has. */
  protected frameOffset = 0;
  protected frameLength = 0;

  /** How many bytes wait for the rest of their frame, or for {@link resume}. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether `onFrame` returned `'halt'`, and {@link resume} has not been called. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  /**
   * Adds received bytes and hands over each frame that is whole.
   *
   * @throws FramingError when the bytes cannot be right; what `onFrame` throws passes through
   */
  push(chunk: Buffer, onFrame: OnFrame): void {
    this.#queue.append(chunk);
    if (!this.#isHalted) this.#run(onFrame);
  }

  /** Goes on after `onFrame` returned `'halt'`. */
  resume(onFrame: OnFrame): void {
    this.#isHalted = false;
    this.#run(onFrame);
  }

  /**
   * Makes the next frame exactly so many bytes long, whatever they hold: for a payload whose length is given by a line
   * before it. Call it while that line is handled, and compare the length with your limit first.
   */
  expectBytes(length: number): void {
    if (!Number.isSafeInteger(length) || length < 0) {
      throw new FramingError('malformed', `a frame cannot have ${length} bytes`);
    }
    this.#expected = length;
  }

  /** Takes out and gives the bytes that no frame has used, for a change of protocol on the same connection. */
  takeRest(): Buffer {
    const { bytes, start, end } = this.#queue;
    const rest = bytes.subarray(start, end);
    this.clear();
    return rest;
  }

  /** Drops all waiting bytes. */
  clear(): void {
    this.#queue.clear();
    this.#expected = -1;
    this.restart();
  }

  /**
   * Finds the next frame in `bytes` from `start` to `end`. When it is whole, sets `frameOffset` and `frameLength` and
   * gives how many bytes it takes up with all that belongs to it (at least 1); else gives 0, and will be asked again
   * with the same bytes and more.
   *
   * @throws FramingError when the bytes cannot be right, or the frame would be longer than the limit
   */
  protected abstract measure(bytes: Buffer, start: number, end: number): number;

  /** Forgets what `measure` remembered about the current frame. Called after each frame. */
  protected restart(): void {
    // Nothing to forget unless a framer remembers something.
  }

  #run(onFrame: OnFrame): void {
    // Called from within onFrame: the loop below goes on with what was added.
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (!this.#isHalted) {
        const frame = this.#next();
        if (frame === undefined) break;
        if (onFrame(frame) === 'halt') this.#isHalted = true;
      }
      this.#queue.settle();
    } catch (error) {
      if (error instanceof FramingError) this.clear();
      throw error;
    } finally {
      this.#isRunning = false;
    }
  }

  #next(): Buffer | undefined {
    const queue = this.#queue;
    const { bytes, start, end } = queue;
    if (this.#expected >= 0) {
      const length = this.#expected;
      if (end - start < length) return undefined;
      this.#expected = -1;
      queue.consume(length);
      return bytes.subarray(start, start + length);
    }
    if (start === end) return undefined;
    const used = this.measure(bytes, start, end);
    if (used === 0) return undefined;
    this.restart();
    queue.consume(used);
    const from = start + this.frameOffset;
    return bytes.subarray(from, from + this.frameLength);
  }
}
