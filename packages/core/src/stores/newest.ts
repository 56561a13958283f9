/** Room for so many at first. */
const FIRST_ROOM = 16;

/** Something that is held, and how many bytes it has. */
export interface Held {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * What was added last, in a ring that grows: adding and letting go of the oldest move nothing. A list of which the front is cut off is
 * copied each time, and the collector goes through the copy.
 */
export class Newest {
  /** Places, whose number is a power of two. */
  #values: unknown[] = new Array<unknown>(FIRST_ROOM).fill(undefined);
  #sizes = new Float64Array(FIRST_ROOM);
  #first = 0;
  #count = 0;

  get size(): number {
    return this.#count;
  }

  push(value: unknown, bytes: number): void {
    if (this.#count === this.#values.length) this.#grow();
    const place = (this.#first + this.#count) & (this.#values.length - 1);
    this.#values[place] = value;
    this.#sizes[place] = bytes;
    this.#count += 1;
  }

  /** Lets the oldest go, where there is one. */
  shift(): Held {
    const place = this.#first;
    const held = { value: this.#values[place], bytes: this.#sizes[place] ?? 0 };
    this.#values[place] = undefined;
    this.#sizes[place] = 0;
    if (this.#count === 0) return held;
    this.#first = (place + 1) & (this.#values.length - 1);
    this.#count -= 1;
    return held;
  }

  /** All of them as they are now, the oldest first. */
  values(): unknown[] {
    const end = this.#first + this.#count;
    const room = this.#values.length;
    const beginning = this.#values.slice(this.#first, Math.min(end, room));
    return end <= room ? beginning : [...beginning, ...this.#values.slice(0, end - room)];
  }

  /** As {@link values}, with how many bytes each has. */
  held(): Held[] {
    const mask = this.#values.length - 1;
    return this.values().map((value, index) => ({
      value,
      bytes: this.#sizes[(this.#first + index) & mask] ?? 0,
    }));
  }

  #grow(): void {
    const held = this.held();
    this.#values = new Array<unknown>(2 * held.length).fill(undefined);
    this.#sizes = new Float64Array(2 * held.length);
    this.#first = 0;
    for (const [place, { value, bytes }] of held.entries()) {
      this.#values[place] = value;
      this.#sizes[place] = bytes;
    }
  }
}
