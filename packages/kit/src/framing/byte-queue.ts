const EMPTY = Buffer.alloc(0);
const SMALLEST = 256;
const WORTH_SHRINKING = 4096;

/**
 * Received bytes that are not used yet, in one piece. Views of them that were handed out stay valid: room is made by a
 * new buffer, never by moving bytes within the old one. On average each byte is copied a fixed number of times, however
 * small the chunks are.
 */
export class ByteQueue {
  /** Holds the waiting bytes from `start` to `end`. */
  bytes: Buffer = EMPTY;
  start = 0;
  end = 0;

  /** How many bytes wait. */
  get length(): number {
    return this.end - this.start;
  }

  /** Adds a chunk. Where nothing waits the chunk itself is used, without a copy. */
  append(chunk: Buffer): void {
    if (this.start === this.end) {
      this.bytes = chunk;
      this.start = 0;
      this.end = chunk.length;
      return;
    }
    if (this.bytes.length - this.end < chunk.length) this.#move(2 * (this.length + chunk.length));
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  /** Drops bytes from the front. */
  consume(count: number): void {
    this.start += count;
    if (this.start >= this.end) this.clear();
  }

  /** Copies the waiting bytes when the piece of memory that they stand in is large, and most of it is not used. */
  settle(): void {
    if (this.length === 0) return;
    const held = this.bytes.buffer.byteLength;
    if (held > WORTH_SHRINKING && this.length < held / 4) this.#move(2 * this.length);
  }

  /** Drops all bytes. */
  clear(): void {
    this.bytes = EMPTY;
    this.start = 0;
    this.end = 0;
  }

  #move(capacity: number): void {
    const moved = Buffer.allocUnsafeSlow(Math.max(capacity, SMALLEST));
    this.bytes.copy(moved, 0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    this.bytes = moved;
  }
}
