/** What copies are cut from; it goes when the last of them goes. */
const SLAB_SIZE = 16 * 1024;
/** Longer copies have memory of their own. */
const MAX_SHARED = 2 * 1024;

/**
 * Copies bytes that are held for long, such as those of captured messages, the journal, and answers that may be sent
 * again. A small `Buffer` of Node.js is a piece of a pool of 8 KiB, and keeps the whole pool in memory: ten thousand
 * texts of a few bytes may hold 80 MB. Copies of one `KeptBytes` are cut one behind the other from slabs that nothing
 * else uses, so copies that are dropped in the order in which they were made hold little more than their size.
 */
export class KeptBytes {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** A copy that may be held for long. */
  copy(bytes: Uint8Array): Buffer {
    const { length } = bytes;
    const copy = length > MAX_SHARED ? Buffer.allocUnsafeSlow(length) : this.#cut(length);
    copy.set(bytes);
    return copy;
  }

  /** The bytes themselves when they fill most of the memory that they are a part of, else a copy. */
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
