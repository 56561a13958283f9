const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

/** What a client sent and was not taken yet. Never larger than what has really come. */
export class Inbox {
  /** What can be read; it begins at {@link start}. */
  bytes: Buffer = NOTHING;
  /** Where what was not taken begins. */
  start = 0;
  /** What came since, while more was needed: put together once, when it is enough. */
  #later: Buffer[] = [];
  #laterSize = 0;
  /** How many bytes there have to be before reading makes sense. */
  #needed = 0;
  #needsLine = false;
  #dropping = 0;

  /** How many bytes can be read. */
  get length(): number {
    return this.bytes.length - this.start;
  }

  /** How many bytes wait, those that cannot be read yet included. */
  get waiting(): number {
    return this.length + this.#laterSize;
  }

  /** Takes a chunk. Gives whether reading makes sense. */
  push(chunk: Buffer): boolean {
    let rest = chunk;
    if (this.#dropping > 0) {
      rest = chunk.subarray(this.#dropping);
      this.#dropping -= chunk.length - rest.length;
      if (rest.length === 0) return false;
    }
    if (this.waiting === 0) {
      this.bytes = rest;
      this.start = 0;
      return true;
    }
    this.#later.push(rest);
    this.#laterSize += rest.length;
    if (this.waiting < this.#needed) return false;
    return !this.#needsLine || rest.includes(LINE_FEED) || this.waiting >= this.#needed + MAX_UNREAD;
  }

  /** Puts together what has come. */
  gather(): void {
    if (this.#laterSize > 0) {
      this.bytes = Buffer.concat([this.bytes.subarray(this.start), ...this.#later]);
      this.start = 0;
      this.#later = [];
      this.#laterSize = 0;
    }
    this.#needed = 0;
    this.#needsLine = false;
  }

  /** Reading makes sense again when there are so many bytes. */
  need(bytes: number): void {
    this.#needed = bytes;
  }

  /** Reading makes sense again when a line has ended, or much has come. */
  needLine(): void {
    this.#needed = this.length + 1;
    this.#needsLine = true;
  }

  /** Throws so many bytes away, those that are still to come as well. */
  drop(bytes: number): void {
    const here = Math.min(bytes, this.length);
    this.start += here;
    this.#dropping = bytes - here;
  }

  /** Lets go of a chunk that was taken wholly, so that connections that wait hold no memory. */
  release(): void {
    if (this.length > 0) return;
    this.bytes = NOTHING;
    this.start = 0;
  }

  /** Forgets everything. */
  clear(): void {
    this.bytes = NOTHING;
    this.start = 0;
    this.#later = [];
    this.#laterSize = 0;
    this.#dropping = 0;
    this.#needed = 0;
    this.#needsLine = false;
  }
}

/** A line without end is looked at again after so many bytes. */
const MAX_UNREAD = 2048;
