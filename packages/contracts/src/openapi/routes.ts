/** What stands for a segment that may be anything, in a path that is looked up. */
export const ANY = '\u0000';

interface Segments<T> {
  readonly fixed: Map<string, Segments<T>>;
  readonly patterns: { readonly regex: RegExp; readonly rank: number; readonly next: Segments<T> }[];
  /** What stands at the path that ends here, with the names of its parameters. */
  end: { readonly value: T; readonly names: readonly string[] } | undefined;
}

/** What stands at a path, and the texts of its parameters. */
export interface Route<T> {
  readonly value: T;
  readonly params: ReadonlyMap<string, string>;
}

/** Finds what belongs to the path of a request among path templates: a fixed segment before one that may be anything. */
export class Routes<T> {
  readonly #root: Segments<T> = emptySegments();

  /** @param template - `/users/{id}`; of two that match the same paths the first counts */
  add(template: string, value: T): void {
    let here = this.#root;
    const names: string[] = [];
    for (const segment of segmentsOf(template.replace(/[?#].*$/, ''))) {
      if (!segment.includes('{')) {
        const key = decode(segment);
        let next = here.fixed.get(key);
        if (next === undefined) here.fixed.set(key, (next = emptySegments()));
        here = next;
        continue;
      }
      let source = '';
      let isBare = true;
      for (const part of segment.split(/(\{[^{}]*\})/)) {
        if (/^\{.*\}$/.test(part)) {
          names.push(part.slice(1, -1));
          source += '(.+?)';
        } else if (part !== '') {
          isBare = false;
          source += part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
        }
      }
      const whole = `^${source}$`;
      let known = here.patterns.find(({ regex }) => regex.source === whole);
      if (known === undefined) {
        known = { regex: new RegExp(whole, 's'), rank: isBare ? 1 : 0, next: emptySegments() };
        here.patterns.push(known);
        here.patterns.sort((a, b) => a.rank - b.rank);
      }
      here = known.next;
    }
    here.end ??= { value, names };
  }

  /** What stands at a path; a segment that is {@link ANY} goes with those that may be anything. */
  find(path: string): Route<T> | undefined {
    const texts: string[] = [];
    const end = search(this.#root, segmentsOf(path), 0, texts);
    if (end === undefined) return undefined;
    return { value: end.value, params: new Map(end.names.map((name, index) => [name, texts[index] ?? ''])) };
  }
}

function emptySegments<T>(): Segments<T> {
  return { fixed: new Map(), patterns: [], end: undefined };
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1);
}

/** Longer segments are no parameters: a pattern of several looks at them more than once. */
const LONGEST = 2_000;

function search<T>(
  here: Segments<T>,
  segments: readonly string[],
  index: number,
  texts: string[],
): Segments<T>['end'] {
  const segment = segments[index];
  if (segment === undefined) return here.end;
  const text = decode(segment);
  const fixed = here.fixed.get(text);
  if (fixed !== undefined) {
    const found = search(fixed, segments, index + 1, texts);
    if (found !== undefined) return found;
  }
  for (const { regex, next } of here.patterns) {
    const match = text.length > LONGEST ? null : regex.exec(text);
    if (match === null) continue;
    const length = texts.length;
    texts.push(...match.slice(1));
    const found = search(next, segments, index + 1, texts);
    if (found !== undefined) return found;
    texts.length = length;
  }
  return undefined;
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
