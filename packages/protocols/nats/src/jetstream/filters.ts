const DOT = 0x2e;
const STAR = 0x2a;
const MORE = 0x3e;

/** Whether a subject without wildcards is one of those that a filter names. Makes nothing: it is asked very often. */
export function fits(filter: string, subject: string): boolean {
  if (filter === subject || filter === '>') return true;
  let [at, place] = [0, 0];
  for (;;) {
    const first = filter.charCodeAt(at);
    if (first === MORE && at + 1 === filter.length) return true;
    const found = subject.indexOf('.', place);
    const end = found < 0 ? subject.length : found;
    if (first === STAR && (at + 1 === filter.length || filter.charCodeAt(at + 1) === DOT)) at += 1;
    else {
      for (; place < end; place += 1, at += 1) {
        if (filter.charCodeAt(at) !== subject.charCodeAt(place)) return false;
      }
    }
    if (at === filter.length || end === subject.length) return at === filter.length && end === subject.length;
    if (filter.charCodeAt(at) !== DOT) return false;
    at += 1;
    place = end + 1;
  }
}

/** Whether some subject fits both. */
export function overlap(one: string, other: string): boolean {
  const [first, second] = [one.split('.'), other.split('.')];
  const length = Math.max(first.length, second.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [first[at], second[at]];
    if (a === undefined || b === undefined) return false;
    if (a === '>' || b === '>') return true;
    if (a !== b && a !== '*' && b !== '*') return false;
  }
  return true;
}

/** Whether every subject of a filter is one of another. */
export function isWithin(filter: string, whole: string): boolean {
  const [words, room] = [filter.split('.'), whole.split('.')];
  for (let at = 0; at < room.length; at += 1) {
    if (at >= words.length) return false;
    if (room[at] === '>') return true;
    if (words[at] === '>') return false;
    if (room[at] !== '*' && (words[at] === '*' || words[at] !== room[at])) return false;
  }
  return words.length === room.length;
}

/** Whether it names no subject but itself. */
export function isPlain(filter: string): boolean {
  return !filter.includes('*') && !filter.includes('>');
}

/** What a consumer or a request asks for of a stream: any of some filters; none is everything. */
export class SubjectFilter {
  readonly filters: readonly string[];
  /** The only subject that fits, where there is one. */
  readonly only: string | undefined;
  readonly #known = new Map<string, boolean>();

  constructor(filters: readonly string[]) {
    this.filters = filters.includes('>') ? [] : filters;
    const [first = ''] = this.filters;
    this.only = this.filters.length === 1 && isPlain(first) ? first : undefined;
  }

  get takesAll(): boolean {
    return this.filters.length === 0;
  }

  fits(subject: string): boolean {
    if (this.filters.length === 0) return true;
    if (this.only !== undefined) return this.only === subject;
    const [first = ''] = this.filters;
    if (this.filters.length === 1) return fits(first, subject);
    const known = this.#known.get(subject);
    if (known !== undefined) return known;
    const isFit = this.filters.some((filter) => fits(filter, subject));
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(subject, isFit);
    return isFit;
  }
}

const MAX_KNOWN = 1_000;
