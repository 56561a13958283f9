import { isHidden, splitPattern, type WildcardSyntax } from './wildcard-syntax.js';

class Node<T> {
  readonly isMany: boolean;
  /** Whether it stands behind a `many`, so that a search may come to it at any word of a name. */
  readonly isDeep: boolean;
  values: Set<T> | undefined;
  words: Map<string, Node<T>> | undefined;
  one: Node<T> | undefined;
  many: Node<T> | undefined;
  /** The last step in which this node was reached, so that no step holds it twice. */
  step = 0;
  /** The last search to which this node gave its values. */
  search = 0;

  constructor(isMany: boolean, isDeep: boolean) {
    this.isMany = isMany;
    this.isDeep = isDeep;
  }

  get isEmpty(): boolean {
    return this.values === undefined && !this.hasNext;
  }

  get hasNext(): boolean {
    return this.words !== undefined || this.one !== undefined || this.many !== undefined;
  }
}

/** A search between two words of its name. */
interface Search<T> {
  readonly number: number;
  readonly name: string;
  readonly isHidden: boolean;
  readonly found: T[];
  reached: Node<T>[];
  /** Where in the name the next word begins. */
  start: number;
}

/**
 * Values under patterns with wildcards, and for a name the values of all patterns that match it: the subscriptions that
 * get a message. The cost of a search depends on how many patterns could still fit after each word, not on how many
 * there are; a name of any length is walked only as far as some pattern goes.
 */
export class WildcardIndex<T> {
  readonly #syntax: WildcardSyntax;
  readonly #root = new Node<T>(false, false);
  #steps = 0;
  #searches = 0;
  #size = 0;
  #words = 0;
  #deepWords = 0;

  constructor(syntax: WildcardSyntax) {
    this.#syntax = syntax;
  }

  /** How many values are kept. */
  get size(): number {
    return this.#size;
  }

  /**
   * How many words the patterns have, those that they begin with in common counted once: what the index holds in
   * memory.
   */
  get words(): number {
    return this.#words;
  }

  /** How many of {@link words} stand behind a `many`: a search may look at each of them for every word of a name. */
  get deepWords(): number {
    return this.#deepWords;
  }

  /**
   * Keeps a value under a pattern. The same pair is kept once.
   *
   * @throws BacklotError `invalid` when the pattern is not one of this syntax
   */
  add(pattern: string, value: T): void {
    let node = this.#root;
    for (const word of splitPattern(pattern, this.#syntax))
      node = this.#next(node, word) ?? this.#grow(node, word);
    const values = (node.values ??= new Set());
    if (values.has(value)) return;
    values.add(value);
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
    const last = path.at(-1);
    if (last?.values?.delete(value) !== true) return false;
    if (last.values.size === 0) last.values = undefined;
    this.#size -= 1;
    for (let depth = words.length; depth > 0 && path[depth]?.isEmpty === true; depth -= 1) {
      this.#cut(path[depth - 1], words[depth - 1]);
    }
    return true;
  }

  /** The values of every pattern that matches the name; those of one pattern in the order in which they were added. */
  match(name: string): T[] {
    const search = this.#begin(name);
    while (this.#advance(search));
    return search.found;
  }

  /**
   * {@link match} for {@link runInSlices}: yields after each word. A pattern that is added or removed meanwhile may be
   * found or not.
   */
  *matchInSteps(name: string): Generator<undefined, T[]> {
    const search = this.#begin(name);
    while (this.#advance(search)) yield;
    // A search in between has left its own marks, so that a pattern may have been found twice.
    return [...new Set(search.found)];
  }

  #begin(name: string): Search<T> {
    this.#searches += 1;
    this.#steps += 1;
    const search: Search<T> = {
      number: this.#searches,
      name,
      isHidden: isHidden(name, this.#syntax),
      found: [],
      reached: [],
      start: 0,
    };
    this.#reach(this.#root, search.reached, search, !search.isHidden);
    return search;
  }

  /** Takes one word; says whether there are more. */
  #advance(search: Search<T>): boolean {
    const { name, start, reached } = search;
    if (reached.length === 0) return false;
    if (start > name.length) {
      for (const node of reached) if (!node.isMany) this.#give(node, search);
      return false;
    }
    const { separator } = this.#syntax;
    const at = name.indexOf(separator, start);
    const end = at < 0 ? name.length : at;
    search.reached = this.#step(search, name.slice(start, end), !(search.isHidden && start === 0));
    search.start = end + separator.length;
    return true;
  }

  #step(search: Search<T>, word: string, mayUseWildcards: boolean): Node<T>[] {
    const next: Node<T>[] = [];
    this.#steps += 1;
    for (const node of search.reached) {
      if (node.isMany) this.#reach(node, next, search, true);
      const exact = node.words?.get(word);
      if (exact !== undefined) this.#reach(exact, next, search, true);
      if (!mayUseWildcards) continue;
      if (node.one !== undefined) this.#reach(node.one, next, search, true);
      if (node.many !== undefined) this.#reach(node.many, next, search, true);
    }
    return next;
  }

  /** Notes that a node is reached, and with it a chain of `many` that may stand for nothing. */
  #reach(first: Node<T>, into: Node<T>[], search: Search<T>, mayUseWildcards: boolean): void {
    const { manyMatchesParent } = this.#syntax;
    for (let node: Node<T> | undefined = first; node !== undefined && node.step !== this.#steps;) {
      node.step = this.#steps;
      // Whatever follows, `many` takes it: its values are found now, and it is kept only for what stands behind it.
      if (node.isMany) this.#give(node, search);
      if (!node.isMany || node.hasNext) into.push(node);
      node = manyMatchesParent && mayUseWildcards ? node.many : undefined;
    }
  }

  #give(node: Node<T>, { number, found }: Search<T>): void {
    if (node.values === undefined || node.search === number) return;
    node.search = number;
    for (const value of node.values) found.push(value);
  }

  #grow(node: Node<T>, word: string): Node<T> {
    const { one, many } = this.#syntax;
    const isMany = word === many;
    const made = new Node<T>(isMany, node.isMany || node.isDeep);
    this.#words += 1;
    if (made.isDeep) this.#deepWords += 1;
    if (isMany) node.many = made;
    else if (word === one) node.one = made;
    else (node.words ??= new Map()).set(word, made);
    return made;
  }

  #next(node: Node<T> | undefined, word: string): Node<T> | undefined {
    if (word === this.#syntax.many) return node?.many;
    return word === this.#syntax.one ? node?.one : node?.words?.get(word);
  }

  #cut(node: Node<T> | undefined, word: string | undefined): void {
    if (node === undefined || word === undefined) return;
    this.#words -= 1;
    if (node.isMany || node.isDeep) this.#deepWords -= 1;
    if (word === this.#syntax.many) node.many = undefined;
    else if (word === this.#syntax.one) node.one = undefined;
    else {
      node.words?.delete(word);
      if (node.words?.size === 0) node.words = undefined;
    }
  }
}
