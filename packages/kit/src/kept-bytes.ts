/** What copies are cut from; it goes when the last of them goes. */
const SLAB_SIZE = 16 * 1024;
/** Longer copies have memory of their own. */
const MAX_SHARED = 2 * 1024;

/**
 * Copies bytes that stay: of captured messages, logs, answers that may be sent again. A small `Buffer` that Node.js makes
 * is a piece of a pool of 8 KiB, which it shares with everything that was made about then and holds alone once that is
 * gone: ten thousand kept texts of a few bytes hold 80 MB. Copies of one part are cut from slabs of its own, one
 * behind the other, so what is dropped in the order in which it came holds little more than its size.
 */
export class KeptBytes {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** A copy to keep. */
  copy(bytes: Uint8Array): Buffer {
    const { length } = bytes;
    const copy = length > MAX_SHARED ? Buffer.allocUnsafeSlow(length) : this.#cut(length);
    copy.set(bytes);
    return copy;
  }

  /** The bytes themselves when they are most of the memory that they stand in, else a copy. */
  keep(bytes: Buffer): Buffer {
    return bytes.buffer.byteLength > 2 * bytes.length ? this.copy(bytes) : bytes;
  }

  #cut(length: number): Buffer {
    if (this.#used + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_SIZE);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    return this.#slab.subarray(start, this.#used);
  }
}
