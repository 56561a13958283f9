import type { QueueEntry } from './queue-entry.js';

const SMALLEST = 16;

/** Messages that came back to their queue, in its order; quick at both ends. */
export class ReturnedList {
  #entries: (QueueEntry | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#entries.length - this.#head;
  }

  /** Puts a message at its place. */
  insert(entry: QueueEntry): void {
    const first = this.#entries[this.#head];
    const last = this.#entries.at(-1);
    if (first === undefined || last === undefined || last.sequence < entry.sequence)
      this.#entries.push(entry);
    else if (entry.sequence < first.sequence) this.#unshift(entry);
    else this.#entries.splice(this.#findPlace(entry), 0, entry);
  }

  shift(): QueueEntry | undefined {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return undefined;
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    if (this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }

  values(): readonly QueueEntry[] {
    return this.#entries.slice(this.#head) as QueueEntry[];
  }

  #unshift(entry: QueueEntry): void {
    if (this.#head === 0) {
      // As much room in front as there are entries, so that filling it costs each of them a fixed number of moves.
      const room = Math.max(this.length, SMALLEST);
      this.#entries = [...new Array<undefined>(room), ...this.#entries];
      this.#head = room;
    }
    this.#head -= 1;
    this.#entries[this.#head] = entry;
  }

  #findPlace({ sequence }: QueueEntry): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.sequence ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
