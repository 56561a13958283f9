import type { Entry } from './entry.js';

const SMALLEST = 16;

/** Entries in the order of their positions; quick at both ends. */
export class EntryDeque {
  #entries: (Entry | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#entries.length - this.#head;
  }

  get first(): Entry | undefined {
    return this.#entries[this.#head];
  }

  get last(): Entry | undefined {
    return this.#entries.at(-1);
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  shift(): Entry | undefined {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return undefined;
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#entries.length) this.#move([], 0);
    else if (this.#head >= 1024 && this.#head * 2 > this.#entries.length)
      this.#move(this.#entries.slice(this.#head), 0);
    return entry;
  }

  /** Puts an entry at its place. */
  insert(entry: Entry): void {
    const { first, last } = this;
    if (first === undefined || last === undefined || last.position < entry.position) this.push(entry);
    else if (entry.position < first.position) this.#unshift(entry);
    else this.#entries.splice(this.#findPlace(entry), 0, entry);
  }

  /** All of them, in order. */
  values(): readonly Entry[] {
    return this.#entries.slice(this.#head) as Entry[];
  }

  #unshift(entry: Entry): void {
    if (this.#head === 0) {
      // As much room in front as there are entries, so that filling it costs each of them a fixed number of moves.
      const room = Math.max(this.length, SMALLEST);
      this.#move([...new Array<undefined>(room), ...this.#entries], room);
    }
    this.#head -= 1;
    this.#entries[this.#head] = entry;
  }

  #move(entries: (Entry | undefined)[], head: number): void {
    this.#entries = entries;
    this.#head = head;
  }

  #findPlace(entry: Entry): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#entries[middle];
      if (other !== undefined && other.position < entry.position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
