import type { StoredMessage } from './stored-message.js';

/** Fewer places than this are not worth closing up. */
const FEW = 64;

/** Messages by their sequence: appended at the end, taken away anywhere, found from any place on. */
export class SequenceLog {
  #items: (StoredMessage | undefined)[] = [];
  /** The sequences of the places; those of messages that are gone stay until the places are closed up. */
  #sequences: number[] = [];
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): StoredMessage | undefined {
    return this.#items[this.#head];
  }

  get last(): StoredMessage | undefined {
    return this.#items[this.#items.length - 1];
  }

  add(message: StoredMessage): void {
    this.#items.push(message);
    this.#sequences.push(message.sequence);
    this.#size += 1;
  }

  get(sequence: number): StoredMessage | undefined {
    const found = this.#items[this.#placeOf(sequence)];
    return found?.sequence === sequence ? found : undefined;
  }

  /** The first message that has this sequence or a later one. */
  from(sequence: number): StoredMessage | undefined {
    let place = this.#placeOf(sequence);
    while (place < this.#items.length && this.#items[place] === undefined) place += 1;
    return this.#items[place];
  }

  /** How many have this sequence or a later one. */
  count(sequence: number): number {
    if (this.#items.length - this.#head !== this.#size) this.#closeUp();
    return this.#items.length - this.#placeOf(sequence);
  }

  remove(sequence: number): boolean {
    const place = this.#placeOf(sequence);
    if (this.#items[place]?.sequence !== sequence) return false;
    this.#items[place] = undefined;
    this.#size -= 1;
    while (this.#head < this.#items.length && this.#items[this.#head] === undefined) this.#head += 1;
    while (this.#items.length > this.#head && this.last === undefined) {
      this.#items.pop();
      this.#sequences.pop();
    }
    if (this.#items.length > FEW && this.#items.length > 2 * this.#size) this.#closeUp();
    else if (this.#size === 0) this.clear();
    return true;
  }

  clear(): void {
    this.#items = [];
    this.#sequences = [];
    this.#head = 0;
    this.#size = 0;
  }

  toArray(): readonly StoredMessage[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /** All messages from a sequence on; messages may be taken away meanwhile only by whoever copies them first. */
  *values(sequence = 0): Generator<StoredMessage> {
    for (let place = this.#placeOf(sequence); place < this.#items.length; place += 1) {
      const message = this.#items[place];
      if (message !== undefined) yield message;
    }
  }

  #placeOf(sequence: number): number {
    let low = this.#head;
    let high = this.#sequences.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sequences[middle] ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #closeUp(): void {
    this.#items = this.#items.filter((item) => item !== undefined);
    this.#sequences = this.#items.map((item) => item?.sequence ?? 0);
    this.#head = 0;
  }
}
