import type { Change } from '../contract/mock-index.js';

/** A place of the table that holds nothing, and one whose text was taken away. */
const EMPTY = 0;
const GONE = 1;
const SMALLEST = 16;

/**
 * What is kept for texts, found by every text that begins with them, or that ends with them. A look-up reads its text
 * once and asks a table of a few kilobytes at each length that occurs, which costs a few nanoseconds; no part of the text
 * is cut out. Among thousands of texts it gives one that does not fit once in some hundred thousand times.
 */
export class AffixTable<B> {
  readonly #isSuffix: boolean;
  /** Hashes, in open addressing; the size is a power of two and at least twice the number of texts. */
  #tags = new Int32Array(SMALLEST);
  #values: (B | undefined)[] = new Array<B | undefined>(SMALLEST);
  #texts: string[] = new Array<string>(SMALLEST);
  /** Places that are not empty: held, or gone. */
  #used = 0;
  #size = 0;
  /** The lengths that occur, the shortest first, and how many texts have each. */
  #lengths: number[] = [];
  readonly #counts = new Map<number, number>();

  /** @param end - whether the texts are beginnings or ends */
  constructor(end: 'prefix' | 'suffix') {
    this.#isSuffix = end === 'suffix';
  }

  /** How many texts there are. */
  get size(): number {
    return this.#size;
  }

  /**
   * Changes what is kept for a text.
   */
  change(text: string, change: Change<B>): void {
    const hash = this.#hashOf(text);
    const place = this.#placeOf(text, hash);
    const kept = place < 0 ? undefined : this.#values[place];
    const next = change(kept);
    if (next !== undefined && place >= 0) this.#values[place] = next;
    else if (next !== undefined) this.#add(text, hash, next);
    else if (place >= 0) this.#remove(text, place);
  }

  /** Adds to `out` what is kept for every text that the given one begins with, or ends with; the shortest first. */
  find(text: string, out: B[]): void {
    const tags = this.#tags;
    const mask = tags.length - 1;
    const isSuffix = this.#isSuffix;
    const { length: whole } = text;
    let hash = 0;
    let read = 0;
    for (const length of this.#lengths) {
      if (length > whole) return;
      for (; read < length; read += 1)
        hash = (Math.imul(hash, 31) + text.charCodeAt(isSuffix ? whole - 1 - read : read)) | 0;
      const tag = tagOf(hash, length);
      for (let place = tag & mask; tags[place] !== EMPTY; place = (place + 1) & mask) {
        if (tags[place] !== tag) continue;
        const value = this.#values[place];
        if (value !== undefined) out.push(value);
      }
    }
  }

  #add(text: string, hash: number, value: B): void {
    if (2 * (this.#used + 1) > this.#tags.length) this.#rebuild();
    this.#put(text, hash, value);
    this.#size += 1;
    const count = this.#counts.get(text.length) ?? 0;
    this.#counts.set(text.length, count + 1);
    if (count === 0) this.#lengths = [...this.#counts.keys()].sort((a, b) => a - b);
  }

  #remove(text: string, place: number): void {
    this.#tags[place] = GONE;
    this.#values[place] = undefined;
    this.#texts[place] = '';
    this.#size -= 1;
    const count = (this.#counts.get(text.length) ?? 1) - 1;
    if (count > 0) {
      this.#counts.set(text.length, count);
      return;
    }
    this.#counts.delete(text.length);
    this.#lengths = this.#lengths.filter((length) => length !== text.length);
  }

  #put(text: string, hash: number, value: B): void {
    const mask = this.#tags.length - 1;
    let place = hash & mask;
    while (this.#tags[place] !== EMPTY) place = (place + 1) & mask;
    this.#tags[place] = hash;
    this.#values[place] = value;
    this.#texts[place] = text;
    this.#used += 1;
  }

  /** Makes room, and forgets the places that are gone. */
  #rebuild(): void {
    const [tags, values, texts] = [this.#tags, this.#values, this.#texts];
    let size = SMALLEST;
    while (size < 4 * (this.#size + 1)) size *= 2;
    this.#tags = new Int32Array(size);
    this.#values = new Array<B | undefined>(size);
    this.#texts = new Array<string>(size);
    this.#used = 0;
    for (const [place, value] of values.entries())
      if (value !== undefined) this.#put(texts[place] ?? '', tags[place] ?? EMPTY, value);
  }

  #placeOf(text: string, hash: number): number {
    const mask = this.#tags.length - 1;
    for (let place = hash & mask; this.#tags[place] !== EMPTY; place = (place + 1) & mask)
      if (this.#tags[place] === hash && this.#texts[place] === text) return place;
    return -1;
  }

  #hashOf(text: string): number {
    const { length } = text;
    let hash = 0;
    for (let read = 0; read < length; read += 1)
      hash = (Math.imul(hash, 31) + text.charCodeAt(this.#isSuffix ? length - 1 - read : read)) | 0;
    return tagOf(hash, length);
  }
}

/** Mixes a hash with the length; never one of the two values that say that a place holds nothing. */
function tagOf(hash: number, length: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15) ^ Math.imul(length, 0x9e3779b1), 0x2c1b3c6d);
  const tag = mixed ^ (mixed >>> 13);
  return tag === EMPTY || tag === GONE ? 2 : tag;
}
