import type { Change } from '../contract/mock-index.js';
import type { PathPattern, PathSegment } from './path-pattern.js';
import type { SplitPath } from './split-path.js';
import { TextFilter } from './text-filter.js';

interface Node<B> {
  // What a lookup reads comes first: among thousands each node is cold.
  tail: B | undefined;
  leaf: B | undefined;
  /** What is kept for patterns that end with any one segment after this node; a node of its own would be one more. */
  afterOne: B | undefined;
  literals: Map<string, Node<B>> | undefined;
  patterns: Map<string, Node<B>> | undefined;
  /** Captures and `*` alike: both take any one segment. */
  single: Node<B> | undefined;
  readonly parent: Node<B> | undefined;
  /** Where it hangs at its parent, so that it can be taken off. */
  readonly segment: PathSegment | undefined;
}

/** A node still to be visited, and the place of the segment that it is asked about. */
interface Waiting<B> {
  readonly node: Node<B>;
  readonly place: number;
}

/** Reads decoded segments one after the other; a place is an index, and -1 is the end. */
class SegmentReader {
  constructor(private readonly segments: readonly string[]) {}

  read(place: number): string {
    return this.segments[place] ?? '';
  }

  isEmpty(place: number): boolean {
    return this.read(place) === '';
  }

  next(place: number): number {
    return place + 1 < this.segments.length ? place + 1 : -1;
  }
}

/** Reads the segments of a path that needs no decoding; a place is where a segment begins, and -1 is the end. */
class TextReader {
  private end = 0;
  private endOf = -1;

  constructor(private readonly text: string) {}

  read(place: number): string {
    return this.text.slice(place, this.findEnd(place));
  }

  isEmpty(place: number): boolean {
    return this.findEnd(place) === place;
  }

  next(place: number): number {
    const end = this.findEnd(place);
    return end < this.text.length ? end + 1 : -1;
  }

  private findEnd(place: number): number {
    if (this.endOf !== place) {
      const slash = this.text.indexOf('/', place);
      this.end = slash < 0 ? this.text.length : slash;
      this.endOf = place;
    }
    return this.end;
  }
}

/**
 * An index over path patterns: it holds something, mostly mocks, for all patterns of the same shape. The cost of a
 * look-up depends on the length of the path and on how many patterns have stars and names at the same place, not on how
 * many patterns there are.
 */
export class PathTree<B> {
  private readonly exact = new Map<string, B>();
  private readonly exactFilter = new TextFilter();
  private readonly regexes = new Map<string, B>();
  private readonly root: Node<B> = makeNode<B>(undefined, undefined);
  private branches = 0;

  /** Replaces what is held for a pattern by what `change` makes of it. */
  change(pattern: PathPattern, change: Change<B>): void {
    if (pattern.regex) {
      changeIn(this.regexes, pattern.source, change);
      return;
    }
    if (pattern.exact !== undefined) {
      const known = this.exact.size;
      changeIn(this.exact, pattern.exact, change);
      if (this.exact.size > known) this.exactFilter.add(pattern.exact, () => this.exact.keys());
      return;
    }
    let node = this.root;
    const last = pattern.segments.at(-1);
    const endsWithOne = !pattern.tail && last !== undefined && isSingle(last);
    for (const segment of endsWithOne ? pattern.segments.slice(0, -1) : pattern.segments)
      node = childFor(node, segment);
    const end = endsWithOne ? 'afterOne' : pattern.tail ? 'tail' : 'leaf';
    const kept = node[end];
    const next = change(kept);
    node[end] = next;
    this.branches += Number(next !== undefined) - Number(kept !== undefined);
    while (node.parent !== undefined && isBare(node)) {
      detach(node.parent, node);
      node = node.parent;
    }
  }

  /**
   * Appends to `out` what is held for every pattern that may match. Regular expressions must still be tested; all other
   * patterns match.
   */
  find(path: SplitPath, out: B[]): void {
    const exact =
      this.exact.size > 0 && this.exactFilter.mayHave(path.key) ? this.exact.get(path.key) : undefined;
    if (exact !== undefined) {
      out.push(exact);
    }
    if (this.branches > 0) {
      this.walk(path, out);
    }
    if (this.regexes.size > 0) {
      out.push(...this.regexes.values());
    }
  }

  private walk(path: SplitPath, out: B[]): void {
    const { plain } = path;
    // A path without escapes is cut where the tree has a way on, and no further.
    const reader = plain === undefined ? new SegmentReader(path.segments) : new TextReader(plain);
    // Most nodes have one way on; the others wait here with their place.
    let waiting: Waiting<B>[] | undefined;
    let node: Node<B> | undefined = this.root;
    let place = 0;
    while (node !== undefined) {
      if (node.tail !== undefined) {
        out.push(node.tail);
      }
      if (place < 0) {
        if (node.leaf !== undefined) {
          out.push(node.leaf);
        }
        node = undefined;
      } else if (node.literals === undefined && node.patterns === undefined) {
        if (reader.isEmpty(place)) {
          node = undefined;
        } else {
          place = reader.next(place);
          if (place < 0 && node.afterOne !== undefined) {
            out.push(node.afterOne);
          }
          node = node.single;
        }
      } else {
        const text = reader.read(place);
        const next = reader.next(place);
        if (next < 0 && node.afterOne !== undefined && text !== '') {
          out.push(node.afterOne);
        }
        const literal: Node<B> | undefined = node.literals?.get(text);
        if (
          text !== '' &&
          (node.patterns !== undefined || (node.single !== undefined && literal !== undefined))
        ) {
          addGaps(node, text, next, (waiting ??= []));
          node = literal;
        } else {
          node = literal ?? (text === '' ? undefined : node.single);
        }
        place = next;
      }
      if (node === undefined) {
        const left = waiting?.pop();
        node = left?.node;
        place = left?.place ?? 0;
      }
    }
  }
}

function changeIn<B>(map: Map<string, B>, key: string, change: Change<B>): void {
  const next = change(map.get(key));
  if (next === undefined) map.delete(key);
  else map.set(key, next);
}

function makeNode<B>(parent: Node<B> | undefined, segment: PathSegment | undefined): Node<B> {
  return {
    tail: undefined,
    leaf: undefined,
    afterOne: undefined,
    literals: undefined,
    patterns: undefined,
    single: undefined,
    parent,
    segment,
  };
}

/** Whether a segment takes any one segment of a path. */
function isSingle(segment: PathSegment): boolean {
  return segment.type !== 'literal' && segment.type !== 'pattern';
}

function existingChild<B>(node: Node<B>, segment: PathSegment): Node<B> | undefined {
  switch (segment.type) {
    case 'literal':
      return node.literals?.get(segment.text);
    case 'pattern':
      return node.patterns?.get(segment.pattern.source);
    default:
      return node.single;
  }
}

function childFor<B>(node: Node<B>, segment: PathSegment): Node<B> {
  const known = existingChild(node, segment);
  if (known !== undefined) {
    return known;
  }
  const made = makeNode(node, segment);
  if (segment.type === 'literal') {
    node.literals = (node.literals ?? new Map<string, Node<B>>()).set(segment.text, made);
  } else if (segment.type === 'pattern') {
    node.patterns = (node.patterns ?? new Map<string, Node<B>>()).set(segment.pattern.source, made);
  } else {
    node.single = made;
  }
  return made;
}

function detach<B>(parent: Node<B>, child: Node<B>): void {
  const { segment } = child;
  if (segment?.type === 'literal') {
    parent.literals?.delete(segment.text);
  } else if (segment?.type === 'pattern') {
    parent.patterns?.delete(segment.pattern.source);
  } else {
    parent.single = undefined;
  }
}

function isBare<B>(node: Node<B>): boolean {
  return (
    node.leaf === undefined &&
    node.afterOne === undefined &&
    node.tail === undefined &&
    node.single === undefined &&
    (node.literals?.size ?? 0) === 0 &&
    (node.patterns?.size ?? 0) === 0
  );
}

function addGaps<B>(node: Node<B>, text: string, place: number, waiting: Waiting<B>[]): void {
  if (node.single !== undefined) {
    waiting.push({ node: node.single, place });
  }
  if (node.patterns !== undefined) {
    for (const child of node.patterns.values()) {
      if (child.segment?.type === 'pattern' && child.segment.pattern.test(text)) {
        waiting.push({ node: child, place });
      }
    }
  }
}
