/** What one character of a pattern takes: a character, any one, or one of a class. */
export type GlobElement = string | ((code: number) => boolean);

/** Characters of the wire form. */
const CODES = 256;
/** Plain texts up to this length are found by the engine, whose search is linear for them. */
const MAX_PLAIN = 128;

/** A part of a pattern between two stars. */
export class GlobSegment {
  /** How many characters it takes. */
  readonly length: number;
  readonly #elements: readonly GlobElement[];
  /** The whole segment, where it is plain text. */
  readonly #plain: string | undefined;
  /** For each character, in which places of the segment it fits: a bit for each. Made when it is needed first. */
  #masks: Int32Array | undefined;

  constructor(elements: readonly GlobElement[]) {
    this.length = elements.length;
    this.#elements = elements;
    this.#plain = elements.every((element) => typeof element === 'string') ? elements.join('') : undefined;
  }

  /** The plain text that it begins with. */
  get start(): string {
    const end = this.#elements.findIndex((element) => typeof element !== 'string');
    return this.#elements.slice(0, end < 0 ? this.length : end).join('');
  }

  /** The plain text that it ends with. */
  get end(): string {
    const last = this.#elements.findLastIndex((element) => typeof element !== 'string');
    return this.#elements.slice(last + 1).join('');
  }

  /** Bytes that it may take in memory. */
  get bytes(): number {
    return 64 + 24 * this.length + (this.#usesMasks ? 4 * CODES * this.#words : 0);
  }

  /** Whether the text goes on with the segment at a place. */
  fitsAt(text: string, place: number): boolean {
    if (this.#plain !== undefined) return text.startsWith(this.#plain, place);
    for (let index = 0; index < this.length; index += 1)
      if (!takes(this.#elements[index], text.charCodeAt(place + index))) return false;
    return true;
  }

  /** Begins a search for the first place from `from` on. */
  search(from: number): GlobSearch {
    return { from, state: this.#usesMasks ? new Int32Array(this.#words) : undefined };
  }

  /**
   * Goes on with a search. A character costs one step for each 32 of the segment at most, wherever the segment fits in
   * part.
   *
   * @param steps - how many characters to go on for
   * @param limit - where the segment has to end at the latest
   * @returns where the segment begins; -1 when it is nowhere; `undefined` when it was not found yet
   */
  goOn(text: string, search: GlobSearch, steps: number, limit: number): number | undefined {
    const { state } = search;
    if (state === undefined) {
      const found = text.indexOf(this.#plain ?? '', search.from);
      return found < 0 || found + this.length > limit ? -1 : found;
    }
    const masks = (this.#masks ??= this.#makeMasks());
    const words = this.#words;
    const last = 1 << ((this.length - 1) & 31);
    const end = Math.min(search.from + steps, limit);
    for (let place = search.from; place < end; place += 1) {
      const row = (text.charCodeAt(place) & (CODES - 1)) * words;
      let carry = 1;
      for (let word = 0; word < words; word += 1) {
        const old = state[word] ?? 0;
        state[word] = ((old << 1) | carry) & (masks[row + word] ?? 0);
        carry = old >>> 31;
      }
      if (((state[words - 1] ?? 0) & last) !== 0) return place + 1 - this.length;
    }
    search.from = end;
    return end >= limit ? -1 : undefined;
  }

  get #words(): number {
    return (this.length + 31) >>> 5;
  }

  get #usesMasks(): boolean {
    return this.#plain === undefined || this.length > MAX_PLAIN;
  }

  #makeMasks(): Int32Array {
    const words = this.#words;
    const masks = new Int32Array(CODES * words);
    for (const [place, element] of this.#elements.entries()) {
      for (let code = 0; code < CODES; code += 1) {
        const at = code * words + (place >>> 5);
        if (takes(element, code)) masks[at] = (masks[at] ?? 0) | (1 << (place & 31));
      }
    }
    return masks;
  }
}

/** A search on its way. */
export interface GlobSearch {
  /** The character that comes next. */
  from: number;
  /** How far the segment fits up to here: a bit for each of its places. */
  readonly state: Int32Array | undefined;
}

function takes(element: GlobElement | undefined, code: number): boolean {
  return typeof element === 'string' ? element.charCodeAt(0) === code : element?.(code) === true;
}
