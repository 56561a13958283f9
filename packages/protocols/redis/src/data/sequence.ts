/** Most items of a leaf, and most children of a branch. */
const WIDTH = 64;
/** A node with fewer is put together with a neighbour, where both fit into one. */
const FEWEST = WIDTH / 4;

/** Items that stand one behind the other. */
export interface Page<T> {
  /** The place of the first. */
  readonly start: number;
  readonly items: readonly T[];
}

/** A node of the tree: a leaf has items, a branch has children. */
class Node<T> {
  constructor(
    public size: number,
    readonly items: T[] | undefined,
    readonly children: Node<T>[] | undefined,
  ) {}

  /** How many items or children it has. */
  get fill(): number {
    return (this.items ?? this.children ?? []).length;
  }
}

/**
 * Items in an order, as a B-tree whose nodes know how many items are below them: reading, changing, inserting and removing
 * at a place, and finding the first item for which something holds, take steps that grow with the logarithm of the size.
 */
export class Sequence<T> {
  #root = makeLeaf<T>([]);

  /** How many items there are. */
  get size(): number {
    return this.#root.size;
  }

  /** The item at a place; `undefined` when there is none. */
  at(index: number): T | undefined {
    if (index < 0 || index >= this.size) return undefined;
    const { leaf, place } = locate(this.#root, index);
    return leaf[place];
  }

  /** The items that stand together with the one at a place, and where the first of them stands; good until the next change. */
  pageAt(index: number): Page<T> {
    const { leaf, place } = locate(this.#root, Math.min(Math.max(index, 0), Math.max(this.size - 1, 0)));
    return { start: index - place, items: leaf };
  }

  /** Puts another item in place of one that is there. */
  set(index: number, item: T): void {
    if (index < 0 || index >= this.size) return;
    const { leaf, place } = locate(this.#root, index);
    leaf[place] = item;
  }

  /** Puts an item before the one at `index`, or behind all when that is the size. */
  insert(index: number, item: T): void {
    const { size } = this.#root;
    const edge = index >= size ? 'end' : index <= 0 ? 'start' : 'middle';
    const split = insertInto(this.#root, Math.min(Math.max(index, 0), size), item, edge);
    if (split !== undefined) this.#root = makeBranch([this.#root, split]);
  }

  /** Takes out the items from `start` up to, not including, `end`, and gives them. */
  remove(start: number, end: number): T[] {
    const removed: T[] = [];
    const from = Math.max(start, 0);
    const to = Math.min(end, this.size);
    if (from >= to) return removed;
    removeFrom(this.#root, from, to, removed);
    this.#shrink();
    return removed;
  }

  /** Takes out the item at a place, and gives it; `undefined` when there is none. */
  take(index: number): T | undefined {
    if (index < 0 || index >= this.size) return undefined;
    const taken = takeFrom(this.#root, index);
    this.#shrink();
    return taken;
  }

  /** The items from `start` up to, not including, `end`. */
  slice(start: number, end: number): T[] {
    const found: T[] = [];
    const from = Math.max(start, 0);
    const to = Math.min(end, this.size);
    if (from < to) collect(this.#root, from, to, found);
    return found;
  }

  /**
   * Goes through the items from `start` up to, not including, `end`. They are read a few at a time: what changes
   * meanwhile may be seen or not.
   */
  *range(start: number, end: number, isReversed = false): Generator<T, void> {
    if (!isReversed) {
      for (let at = start; at < end; at += WIDTH) yield* this.slice(at, Math.min(at + WIDTH, end));
      return;
    }
    for (let at = end; at > start; at -= WIDTH) yield* this.slice(Math.max(at - WIDTH, start), at).reverse();
  }

  /** How many items stand before the first for which `isIn` holds; it must hold for all behind that one. */
  firstWhere(isIn: (item: T) => boolean): number {
    let node = this.#root;
    let before = 0;
    while (node.children !== undefined) {
      const { children } = node;
      // The last child that begins before the place, or the first child of all.
      let low = 1;
      let high = children.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (isIn(firstOf(children[middle]))) high = middle;
        else low = middle + 1;
      }
      for (let place = 0; place < low - 1; place += 1) before += children[place]?.size ?? 0;
      node = children[low - 1] as Node<T>;
    }
    const items = node.items ?? [];
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isIn(items[middle] as T)) high = middle;
      else low = middle + 1;
    }
    return before + low;
  }

  #shrink(): void {
    while (this.#root.children !== undefined && this.#root.children.length < 2)
      this.#root = this.#root.children[0] ?? makeLeaf<T>([]);
  }
}

function makeLeaf<T>(items: T[]): Node<T> {
  return new Node<T>(items.length, items, undefined);
}

function makeBranch<T>(children: Node<T>[]): Node<T> {
  let size = 0;
  for (const child of children) size += child.size;
  return new Node<T>(size, undefined, children);
}

function firstOf<T>(given: Node<T> | undefined): T {
  let node = given;
  while (node?.children !== undefined) node = node.children[0];
  return node?.items?.[0] as T;
}

function locate<T>(root: Node<T>, index: number): { readonly leaf: T[]; readonly place: number } {
  let node = root;
  let place = index;
  while (node.children !== undefined) {
    let next: Node<T> | undefined;
    for (const child of node.children) {
      next = child;
      if (place < child.size) break;
      place -= child.size;
    }
    node = next as Node<T>;
  }
  return { leaf: node.items ?? [], place };
}

/** Gives the node that was split off, to stand behind this one. */
function insertInto<T>(
  node: Node<T>,
  index: number,
  item: T,
  edge: 'start' | 'middle' | 'end',
): Node<T> | undefined {
  node.size += 1;
  const { items, children } = node;
  if (items !== undefined) {
    if (index === items.length) items.push(item);
    else items.splice(index, 0, item);
    return items.length > WIDTH ? splitLeaf(node, items, edge) : undefined;
  }
  const nodes = children ?? [];
  let place = 0;
  let left = index;
  for (; place < nodes.length - 1; place += 1) {
    const { size } = nodes[place] as Node<T>;
    if (left <= size) break;
    left -= size;
  }
  const split = insertInto(nodes[place] as Node<T>, left, item, edge);
  if (split === undefined) return undefined;
  nodes.splice(place + 1, 0, split);
  return nodes.length > WIDTH ? splitBranch(node, nodes, edge) : undefined;
}

/** Where a full node is split: what grows at one end only leaves full nodes behind. */
function splitPlace(length: number, edge: 'start' | 'middle' | 'end'): number {
  if (edge === 'middle') return length >>> 1;
  return edge === 'end' ? length - 1 : 1;
}

function splitLeaf<T>(node: Node<T>, items: T[], edge: 'start' | 'middle' | 'end'): Node<T> {
  const split = makeLeaf(items.splice(splitPlace(items.length, edge)));
  node.size -= split.size;
  return split;
}

function splitBranch<T>(node: Node<T>, children: Node<T>[], edge: 'start' | 'middle' | 'end'): Node<T> {
  const split = makeBranch(children.splice(splitPlace(children.length, edge)));
  node.size -= split.size;
  return split;
}

function takeFrom<T>(node: Node<T>, index: number): T {
  node.size -= 1;
  const { items, children } = node;
  if (items !== undefined) {
    if (index === 0) return items.shift() as T;
    return (index === items.length - 1 ? items.pop() : items.splice(index, 1)[0]) as T;
  }
  const nodes = children ?? [];
  let place = 0;
  let left = index;
  for (let child = nodes[0]; child !== undefined && left >= child.size; child = nodes[place]) {
    left -= child.size;
    place += 1;
  }
  const taken = takeFrom(nodes[place] as Node<T>, left);
  if (nodes[place]?.size === 0) nodes.splice(place, 1);
  else mergeAt(nodes, place);
  return taken;
}

function removeFrom<T>(node: Node<T>, start: number, end: number, removed: T[]): void {
  node.size -= end - start;
  const { items, children } = node;
  if (items !== undefined) {
    for (const item of items.splice(start, end - start)) removed.push(item);
    return;
  }
  const nodes = children ?? [];
  let place = 0;
  let before = 0;
  while (before + (nodes[place] as Node<T>).size <= start) {
    before += (nodes[place] as Node<T>).size;
    place += 1;
  }
  const first = place;
  let kept = place;
  for (; before < end; place += 1) {
    const child = nodes[place] as Node<T>;
    const { size } = child;
    const [from, to] = [Math.max(start - before, 0), Math.min(end - before, size)];
    if (to - from === size) collect(child, 0, size, removed);
    else {
      removeFrom(child, from, to, removed);
      nodes[kept] = child;
      kept += 1;
    }
    before += size;
  }
  if (kept < place) nodes.splice(kept, place - kept);
  for (let at = Math.min(kept, nodes.length - 1); at >= Math.max(first - 1, 0); at -= 1) mergeAt(nodes, at);
}

/** Puts a child that has little left together with the one behind it, or before it. */
function mergeAt<T>(nodes: Node<T>[], place: number): void {
  if ((nodes[place]?.fill ?? FEWEST) >= FEWEST) return;
  const first = place + 1 < nodes.length ? place : place - 1;
  const [one, two] = [nodes[first], nodes[first + 1]];
  if (one === undefined || two === undefined || one.fill + two.fill > WIDTH) return;
  one.size += two.size;
  for (const item of two.items ?? []) one.items?.push(item);
  for (const child of two.children ?? []) one.children?.push(child);
  nodes.splice(first + 1, 1);
}

function collect<T>(node: Node<T>, start: number, end: number, found: T[]): void {
  if (node.items !== undefined) {
    for (let place = start; place < end; place += 1) found.push(node.items[place] as T);
    return;
  }
  let before = 0;
  for (const child of node.children ?? []) {
    if (before >= end) return;
    const [from, to] = [Math.max(start - before, 0), Math.min(end - before, child.size)];
    if (from < to) collect(child, from, to, found);
    before += child.size;
  }
}
