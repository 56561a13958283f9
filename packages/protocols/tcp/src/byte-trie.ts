import { withMock, withoutMock, type Candidates, type IndexedMock } from '@backlot/core/plugin';
import type { CompiledTcp } from './matcher.js';

/** A node of {@link ByteTrie}: the mocks whose bytes are those on the way to it. */
export interface TrieNode {
  /** The bytes on the way from the node above. */
  edge: Buffer;
  /** How many bytes there are on the way from the root. */
  readonly depth: number;
  readonly children: Map<number, TrieNode>;
  mocks: Candidates<CompiledTcp> | undefined;
  /** How many mocks there are here. */
  own: number;
  /** How many of them are there whatever the state. */
  steady: number;
  /** How many mocks there are here and below. */
  total: number;
  /** How many mocks here and below are there whatever the state. */
  steadyTotal: number;
}

/** Where bytes that were received stand among those of the mocks. */
export interface TriePlace {
  /** The nodes whose mocks equal the start of the bytes, shortest first. */
  readonly starts: readonly TrieNode[];
  /** The node with the mocks of which the bytes are a start, or undefined. */
  readonly node: TrieNode | undefined;
  /** Whether the node's own mocks are equal to the bytes, and only those below it longer. */
  readonly isAtNode: boolean;
}

/** How far bytes were placed, so that the same bytes and more are placed from there on. */
export class TrieWalk {
  /** The last node that was reached, and how many bytes of the way behind it are the same. */
  node: TrieNode | undefined;
  common = 0;
  starts: TrieNode[] = [];
  /** Of the tree that it was made in. */
  version = -1;

  /** Forgets it: other bytes are placed next. */
  restart(): void {
    this.version = -1;
  }
}

const EMPTY = Buffer.alloc(0);
/** Mocks with up to so many bytes are also found by a hash of all of them, which touches less memory than the tree. */
export const MAX_HASHED = 512;
const NOWHERE: TriePlace = { starts: [], node: undefined, isAtNode: false };

/**
 * The mocks with exact bytes by their bytes, as a radix tree: what it costs to place a message grows with the message
 * and not with the number of mocks, and memory with what the mocks do not share.
 */
export class ByteTrie {
  readonly #root = makeNode(EMPTY, 0);
  /** Nodes with mocks by their bytes, each octet a character. */
  readonly #hashed = new Map<string, TrieNode>();
  // A message is looked up twice: to find its end, and to match it.
  #lastBytes: Buffer | undefined;
  #lastNode: TrieNode | undefined;
  #version = 0;

  get isEmpty(): boolean {
    return this.#root.total === 0;
  }

  add(bytes: Buffer, mock: IndexedMock<CompiledTcp>): void {
    const isSteady = isAlwaysThere(mock);
    let node = this.#root;
    this.#lastBytes = undefined;
    this.#version += 1;
    count(node, 1, isSteady);
    for (let at = 0; at < bytes.length; at = node.depth) {
      node = this.#descend(node, bytes, at);
      count(node, 1, isSteady);
    }
    node.mocks = withMock(node.mocks, mock);
    node.own += 1;
    if (isSteady) node.steady += 1;
    if (bytes.length <= MAX_HASHED) this.#hashed.set(bytes.toString('latin1'), node);
  }

  remove(bytes: Buffer, mock: IndexedMock<CompiledTcp>): void {
    const way = this.#wayTo(bytes);
    const node = way?.at(-1);
    if (way === undefined || node === undefined) return;
    node.mocks = withoutMock(node.mocks, mock);
    node.own -= 1;
    this.#lastBytes = undefined;
    this.#version += 1;
    if (node.own === 0) this.#hashed.delete(bytes.toString('latin1'));
    const isSteady = isAlwaysThere(mock);
    if (isSteady) node.steady -= 1;
    for (const passed of way) count(passed, -1, isSteady);
    way.forEach((passed, index) => {
      if (passed.total === 0) way[index - 1]?.children.delete(passed.edge[0] ?? 0);
    });
  }

  /** The node of the mocks with exactly these bytes. */
  get(bytes: Buffer): TrieNode | undefined {
    if (bytes === this.#lastBytes) return this.#lastNode;
    this.#lastBytes = bytes;
    this.#lastNode =
      bytes.length <= MAX_HASHED ? this.#hashed.get(bytes.toString('latin1')) : this.#walkTo(bytes);
    return this.#lastNode;
  }

  /**
   * Places bytes among those of the mocks.
   *
   * @param walk - how far they were placed when there were fewer of them: what was compared is not compared again
   */
  place(bytes: Buffer, walk = new TrieWalk()): TriePlace {
    if (this.isEmpty) return NOWHERE;
    if (walk.version !== this.#version) {
      walk.version = this.#version;
      walk.node = this.#root;
      walk.common = 0;
      walk.starts = [];
    }
    const { starts } = walk;
    for (let { node } = walk; node !== undefined; node = walk.node) {
      if (node.own > 0 && node.depth > 0 && starts[starts.length - 1] !== node) starts.push(node);
      if (node.depth === bytes.length) return { starts, node, isAtNode: true };
      const child = node.children.get(bytes[node.depth] ?? 0);
      if (child !== undefined) walk.common = shared(child.edge, bytes, node.depth, walk.common);
      if (child !== undefined && walk.common === child.edge.length) {
        walk.node = child;
        walk.common = 0;
      } else if (child !== undefined && node.depth + walk.common === bytes.length) {
        return { starts, node: child, isAtNode: false };
      } else walk.node = undefined;
    }
    return { starts, node: undefined, isAtNode: false };
  }

  /** Goes one node further on the way to the bytes, making it when it is not there. */
  #descend(node: TrieNode, bytes: Buffer, at: number): TrieNode {
    const first = bytes[at] ?? 0;
    const child = node.children.get(first);
    if (child === undefined) {
      const made = makeNode(Buffer.from(bytes.subarray(at)), bytes.length);
      node.children.set(first, made);
      return made;
    }
    const common = shared(child.edge, bytes, at);
    if (common === child.edge.length) return child;
    const between = makeNode(child.edge.subarray(0, common), at + common);
    between.total = child.total;
    between.steadyTotal = child.steadyTotal;
    child.edge = child.edge.subarray(common);
    between.children.set(child.edge[0] ?? 0, child);
    node.children.set(first, between);
    return between;
  }

  #walkTo(bytes: Buffer): TrieNode | undefined {
    const node = this.#wayTo(bytes)?.at(-1);
    return node === undefined || node.own === 0 ? undefined : node;
  }

  #wayTo(bytes: Buffer): TrieNode[] | undefined {
    const way = [this.#root];
    let node = this.#root;
    while (node.depth < bytes.length) {
      const child = node.children.get(bytes[node.depth] ?? 0);
      if (child === undefined || shared(child.edge, bytes, node.depth) < child.edge.length) return undefined;
      way.push(child);
      node = child;
    }
    return way;
  }
}

/** Whether a mock can only cease to be there by being changed. */
function isAlwaysThere({ value }: IndexedMock<CompiledTcp>): boolean {
  const { state, times, expires } = value as { state?: unknown; times?: unknown; expires?: unknown };
  return state === undefined && times === undefined && expires === undefined;
}

function makeNode(edge: Buffer, depth: number): TrieNode {
  return { edge, depth, children: new Map(), mocks: undefined, own: 0, steady: 0, total: 0, steadyTotal: 0 };
}

function count(node: TrieNode, change: 1 | -1, isSteady: boolean): void {
  node.total += change;
  if (isSteady) node.steadyTotal += change;
}

/** How many bytes of `edge` stand in `bytes` from `at` on; so many of them are known to. */
function shared(edge: Buffer, bytes: Buffer, at: number, known = 0): number {
  const most = Math.min(edge.length, bytes.length - at);
  let same = known;
  while (same < most && edge[same] === bytes[at + same]) same += 1;
  return same;
}
