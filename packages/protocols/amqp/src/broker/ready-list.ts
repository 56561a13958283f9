import type { Entry } from './entry.js';

const WORTH_COMPACTING = 1024;

/** The entries of a queue that wait to be handed out, first to be handed out first. */
export class ReadyList {
  #entries: (Entry | undefined)[] = [];
  #head = 0;
  /** Bytes of the messages' bodies. */
  bodyBytes = 0;

  get length(): number {
    return this.#entries.length - this.#head;
  }

  /** The first one. */
  get first(): Entry | undefined {
    return this.#entries[this.#head];
  }

  /** Puts an entry at its place: at the end for a new one of an ordinary queue, near the front for one that comes back. */
  insert(entry: Entry): void {
    const last = this.#entries.at(-1);
    this.bodyBytes += entry.message.body.length;
    if (this.length === 0 || last === undefined || !entry.comesBefore(last)) {
      this.#entries.push(entry);
      return;
    }
    const place = this.#findPlace(entry);
    if (place === this.#head && this.#head > 0) {
      this.#head -= 1;
      this.#entries[this.#head] = entry;
    } else this.#entries.splice(place, 0, entry);
  }

  /** Takes out the first one. */
  shift(): Entry | undefined {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return undefined;
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    this.bodyBytes -= entry.message.body.length;
    if (this.#head === this.#entries.length) {
      this.#entries = [];
      this.#head = 0;
    } else if (this.#head >= WORTH_COMPACTING && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }

  /** All of them, in order. */
  values(): readonly Entry[] {
    return this.#entries.slice(this.#head) as Entry[];
  }

  #findPlace(entry: Entry): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#entries[middle];
      if (other !== undefined && other.comesBefore(entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
