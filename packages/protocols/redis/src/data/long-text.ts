/** Bytes of a page; the last one may have fewer. */
export const PAGE = 64 * 1024;

const ZEROS = '\0'.repeat(PAGE);

/**
 * A long string in pages. It never changes: a changed one is another that has all pages but the changed ones in common with it,
 * so that a change costs a page, and not a copy of all.
 */
export class LongText {
  /** How many bytes it has. */
  readonly size: number;
  #pages: readonly string[];
  /** Bytes of the texts that the pages are parts of: the engine keeps a text as a whole while a part of it is in use. */
  #held: number;

  private constructor(size: number, pages: readonly string[], held: number) {
    this.size = size;
    this.#pages = pages;
    this.#held = held;
  }

  static of(text: string): LongText {
    return new LongText(text.length, pagesOf(text), text.length);
  }

  /** @param pages - each of {@link PAGE} bytes, but for the last one */
  static join(pages: readonly string[]): LongText {
    const size = pages.length === 0 ? 0 : (pages.length - 1) * PAGE + (pages.at(-1)?.length ?? 0);
    return new LongText(size, pages, size);
  }

  /** How many bytes it takes. */
  get bytes(): number {
    return this.size;
  }

  /** The byte at a place; `NaN` behind the end. */
  byteAt(place: number): number {
    return this.#pages[Math.floor(place / PAGE)]?.charCodeAt(place % PAGE) ?? NaN;
  }

  /** The bytes from `start` up to, not including, `end`, in parts of a page at most. */
  *parts(start = 0, end = this.size): Generator<string, void> {
    for (let place = start; place < end;) {
      const from = place % PAGE;
      const to = Math.min(PAGE, from + end - place);
      const page = this.#pages[Math.floor(place / PAGE)] ?? '';
      yield page.slice(from, to);
      place += to - from;
    }
  }

  /** With other bytes from a place on. What lies between the end and that place are zeros. */
  replace(at: number, bytes: string | LongText): LongText {
    const length = typeof bytes === 'string' ? bytes.length : bytes.size;
    const end = at + length;
    const size = Math.max(this.size, end);
    const pages = this.#pages.slice();
    for (let index = Math.floor(Math.min(at, this.size) / PAGE); index * PAGE < end; index += 1) {
      const start = index * PAGE;
      const old = pages[index] ?? '';
      const from = within(at - start);
      const to = within(end - start);
      const taken = Math.max(start - at, 0);
      pages[index] =
        zeroPadded(old, from).slice(0, from) + partOf(bytes, taken, taken + to - from) + old.slice(to);
    }
    const held = this.#held + (typeof bytes === 'string' && length > PAGE ? length : 0);
    const changed = new LongText(size, pages, held);
    // One page of each of many long texts would keep all of them.
    if (held > 2 * size) changed.#settle();
    return changed;
  }

  /** With other bytes at some places, all of which it has. */
  withBytes(bytes: ReadonlyMap<number, number>): LongText {
    const pages = this.#pages.slice();
    const changed = new Map<number, Buffer>();
    for (const [place, byte] of bytes) {
      const index = Math.floor(place / PAGE);
      const page = changed.get(index) ?? Buffer.from(pages[index] ?? '', 'latin1');
      page[place % PAGE] = byte;
      changed.set(index, page);
    }
    for (const [index, page] of changed) pages[index] = page.toString('latin1');
    return new LongText(this.size, pages, this.#held);
  }

  /** All of it as one text, which is kept instead of the pages that it is made of. */
  toString(): string {
    return this.#settle();
  }

  /** It is never changed, so that it is its own copy. */
  *copy(): Generator<undefined, this> {
    return this;
  }

  #settle(): string {
    const text = this.#pages.join('');
    this.#pages = pagesOf(text);
    this.#held = this.size;
    return text;
  }
}

function partOf(bytes: string | LongText, start: number, end: number): string {
  return typeof bytes === 'string' ? bytes.slice(start, end) : [...bytes.parts(start, end)].join('');
}

function pagesOf(text: string): string[] {
  const pages: string[] = [];
  for (let start = 0; start < text.length; start += PAGE) pages.push(text.slice(start, start + PAGE));
  return pages;
}

function within(place: number): number {
  return Math.min(Math.max(place, 0), PAGE);
}

function zeroPadded(page: string, length: number): string {
  return page.length >= length ? page : page === '' && length === PAGE ? ZEROS : page.padEnd(length, '\0');
}
