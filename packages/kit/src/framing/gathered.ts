import { joinSteps } from './join-steps.js';

const MAX_SLAB = 64 * 1024;
const SMALLEST_SLAB = 256;
/** Shorter chunks are put together, since a client that sends byte by byte would make a list of millions. */
const SMALL = 8 * 1024;

/**
 * Gathers bytes that come in chunks and are needed in one piece at the end. It takes little more memory than the bytes,
 * however small the chunks are.
 */
export class Gathered {
  #pieces: Buffer[] = [];
  #slab = Buffer.alloc(0);
  #used = 0;
  #length = 0;

  /** How many bytes there are. */
  get length(): number {
    return this.#length;
  }

  /** How many pieces are held. */
  get count(): number {
    return this.#pieces.length + (this.#used > 0 ? 1 : 0);
  }

  append(chunk: Buffer): void {
    this.#length += chunk.length;
    if (chunk.length >= SMALL) {
      this.#close();
      this.#pieces.push(chunk);
      return;
    }
    if (this.#used + chunk.length > this.#slab.length) this.#open(chunk.length);
    chunk.copy(this.#slab, this.#used);
    this.#used += chunk.length;
  }

  /**
   * Takes out and gives all of them, in one piece.
   *
   * @param before - bytes to put in front of them
   */
  take(before?: Buffer): Buffer {
    this.#close();
    const pieces = this.#pieces;
    this.clear();
    return Buffer.concat(before === undefined || before.length === 0 ? pieces : [before, ...pieces]);
  }

  /**
   * Like {@link take}, for very many bytes: yields now and then, see `runInSlices`. What is appended meanwhile is gathered for
   * the next time.
   */
  takeSteps(): Generator<undefined, Uint8Array> {
    this.#close();
    const pieces = this.#pieces;
    this.clear();
    return joinSteps(pieces);
  }

  /** Drops all of them. */
  clear(): void {
    this.#pieces = [];
    this.#slab = Buffer.alloc(0);
    this.#used = 0;
    this.#length = 0;
  }

  /** As large as all that is there, within limits, so that pieces are few and little is held for little. */
  #open(least: number): void {
    this.#close();
    const size = Math.min(Math.max(this.#length, SMALLEST_SLAB), MAX_SLAB);
    this.#slab = Buffer.allocUnsafe(Math.max(size, least));
  }

  #close(): void {
    if (this.#used === 0) return;
    this.#pieces.push(this.#slab.subarray(0, this.#used));
    this.#slab = this.#slab.subarray(this.#used);
    this.#used = 0;
  }
}
