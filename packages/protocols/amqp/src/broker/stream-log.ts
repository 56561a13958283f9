import type { BrokerMessage } from './broker-message.js';

/** What a message costs in a stream beside its own bytes. */
const ENTRY_BYTES = 256;
/** So many places in front are kept free before the rest moves up. */
const MANY = 1024;

/** A message of a stream. */
export interface Logged {
  readonly message: BrokerMessage;
  /** When it has come, in virtual ms. */
  readonly at: number;
}

/** The messages of a stream by their offsets, the oldest of which may be dropped. */
export class StreamLog {
  #entries: (Logged | undefined)[] = [];
  #head = 0;
  /** The offset of the first place of the array. */
  #base: number;
  /** Bytes of the messages' bodies. */
  bodyBytes = 0;
  /** Bytes that the messages hold in memory, roughly. */
  bytes = 0;

  /** @param first - the offset of its first message */
  constructor(first = 0) {
    this.#base = first;
  }

  get length(): number {
    return this.#entries.length - this.#head;
  }

  /** The offset of the oldest message, or of the next one when there is none. */
  get first(): number {
    return this.#base + this.#head;
  }

  /** The offset that the next message gets. */
  get next(): number {
    return this.#base + this.#entries.length;
  }

  at(offset: number): Logged | undefined {
    return this.#entries[offset - this.#base];
  }

  push(entry: Logged): void {
    this.#entries.push(entry);
    this.#count(entry, 1);
  }

  /** Drops the oldest one. */
  shift(): void {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return;
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    this.#count(entry, -1);
    if (this.#head < MANY || this.#head * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#base += this.#head;
    this.#head = 0;
  }

  /** The offset of the first message that has come at a time or later. */
  findTime(at: number): number {
    let low = this.first;
    let high = this.next;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.at(middle)?.at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** All of them, in order. */
  values(): readonly Logged[] {
    return this.#entries.slice(this.#head) as Logged[];
  }

  #count({ message }: Logged, by: 1 | -1): void {
    this.bodyBytes += by * message.body.length;
    this.bytes += by * (message.size + ENTRY_BYTES);
  }
}
