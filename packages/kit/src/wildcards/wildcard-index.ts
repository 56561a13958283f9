import { isHidden, splitPattern, type WildcardSyntax } from './wildcard-syntax.js';

class Node<T> {
  readonly values: T[] = [];
  words: Map<string, Node<T>> | undefined;
  one: Node<T> | undefined;
  many: Node<T> | undefined;
  /** The last step in which this node was reached, so that no step holds it twice. */
  step = 0;
  /** The last search to which this node gave its values. */
  search = 0;

  constructor(readonly isMany: boolean) {}

  get isEmpty(): boolean {
    return this.values.length === 0 && !this.hasNext;
  }

  get hasNext(): boolean {
    return this.words !== undefined || this.one !== undefined || this.many !== undefined;
  }
}

/**
 * Values by patterns with wildcards, and the values whose pattern takes a name: the subscriptions that get a message.
 * The cost of a search depends on how many patterns could still fit after each word, not on how many there are; a name
 * of any length is walked only as far as some pattern goes.
 */
export class WildcardIndex<T> {
  readonly #syntax: WildcardSyntax;
  readonly #root = new Node<T>(false);
  #steps = 0;
  #searches = 0;
  #size = 0;

  constructor(syntax: WildcardSyntax) {
    this.#syntax = syntax;
  }

  /** How many values are kept. */
  get size(): number {
    return this.#size;
  }

  /**
   * Keeps a value under a pattern; the same pair may be there more than once.
   *
   * @throws BacklotError `invalid` when the pattern is not one of this syntax
   */
  add(pattern: string, value: T): void {
    const { one, many } = this.#syntax;
    let node = this.#root;
    for (const word of splitPattern(pattern, this.#syntax)) {
      if (word === many) node = node.many ??= new Node<T>(true);
      else if (word === one) node = node.one ??= new Node<T>(false);
      else node = this.#child(node, word);
    }
    node.values.push(value);
    this.#size += 1;
  }

  /** Takes one value away from its pattern; says whether it was there. */
  remove(pattern: string, value: T): boolean {
    const words = splitPattern(pattern, this.#syntax);
    const path: Node<T>[] = [this.#root];
    for (const word of words) {
      const next = this.#next(path.at(-1), word);
      if (next === undefined) return false;
      path.push(next);
    }
    const values = path.at(-1)?.values ?? [];
    const at = values.indexOf(value);
    if (at < 0) return false;
    values.splice(at, 1);
    this.#size -= 1;
    for (let depth = words.length; depth > 0 && path[depth]?.isEmpty === true; depth -= 1) {
      this.#cut(path[depth - 1], words[depth - 1]);
    }
    return true;
  }

  /** The values of every pattern that takes the name, those of one pattern in the order they were added. */
  match(name: string): T[] {
    const { separator } = this.#syntax;
    const found: T[] = [];
    this.#searches += 1;
    const hidden = isHidden(name, this.#syntax);
    let reached: Node<T>[] = [];
    this.#steps += 1;
    this.#reach(this.#root, reached, found, !hidden);
    for (let start = 0; start <= name.length && reached.length > 0;) {
      const at = name.indexOf(separator, start);
      const end = at < 0 ? name.length : at;
      reached = this.#step(reached, name.slice(start, end), found, !(hidden && start === 0));
      start = end + separator.length;
    }
    for (const node of reached) if (!node.isMany) this.#give(node, found);
    return found;
  }

  #step(reached: readonly Node<T>[], word: string, found: T[], mayUseWildcards: boolean): Node<T>[] {
    const next: Node<T>[] = [];
    this.#steps += 1;
    for (const node of reached) {
      if (node.isMany) this.#reach(node, next, found, true);
      const exact = node.words?.get(word);
      if (exact !== undefined) this.#reach(exact, next, found, true);
      if (!mayUseWildcards) continue;
      if (node.one !== undefined) this.#reach(node.one, next, found, true);
      if (node.many !== undefined) this.#reach(node.many, next, found, true);
    }
    return next;
  }

  /** Notes that a node is reached, and with it a chain of `many` that may stand for nothing. */
  #reach(first: Node<T>, into: Node<T>[], found: T[], mayUseWildcards: boolean): void {
    const { manyMatchesParent } = this.#syntax;
    for (let node: Node<T> | undefined = first; node !== undefined && node.step !== this.#steps;) {
      node.step = this.#steps;
      // Whatever follows, `many` takes it: its values are found now, and it is kept only for what stands behind it.
      if (node.isMany) this.#give(node, found);
      if (!node.isMany || node.hasNext) into.push(node);
      node = manyMatchesParent && mayUseWildcards ? node.many : undefined;
    }
  }

  #give(node: Node<T>, found: T[]): void {
    if (node.search === this.#searches) return;
    node.search = this.#searches;
    for (const value of node.values) found.push(value);
  }

  #child(node: Node<T>, word: string): Node<T> {
    node.words ??= new Map();
    const known = node.words.get(word);
    if (known !== undefined) return known;
    const made = new Node<T>(false);
    node.words.set(word, made);
    return made;
  }

  #next(node: Node<T> | undefined, word: string): Node<T> | undefined {
    if (word === this.#syntax.many) return node?.many;
    return word === this.#syntax.one ? node?.one : node?.words?.get(word);
  }

  #cut(node: Node<T> | undefined, word: string | undefined): void {
    if (node === undefined || word === undefined) return;
    if (word === this.#syntax.many) node.many = undefined;
    else if (word === this.#syntax.one) node.one = undefined;
    else {
      node.words?.delete(word);
      if (node.words?.size === 0) node.words = undefined;
    }
  }
}
