const SLAB = 64 * 1024;
/** Shorter chunks are put together: a client that sends byte by byte would make a list of millions. */
const SMALL = 8 * 1024;

/** Bytes that come in chunks. */
export class Gathered {
  readonly #pieces: Buffer[] = [];
  #slab = Buffer.alloc(0);
  #used = 0;

  append(chunk: Buffer): void {
    if (chunk.length >= SMALL) {
      this.#close();
      this.#pieces.push(chunk);
      return;
    }
    if (this.#used + chunk.length > this.#slab.length) {
      this.#close();
      this.#slab = Buffer.allocUnsafe(SLAB);
    }
    chunk.copy(this.#slab, this.#used);
    this.#used += chunk.length;
  }

  /** All of them. */
  take(): Buffer {
    this.#close();
    return Buffer.concat(this.#pieces);
  }

  /** How many pieces are held. */
  get count(): number {
    return this.#pieces.length + (this.#used > 0 ? 1 : 0);
  }

  #close(): void {
    if (this.#used === 0) return;
    this.#pieces.push(this.#slab.subarray(0, this.#used));
    this.#slab = this.#slab.subarray(this.#used);
    this.#used = 0;
  }
}
