import { MAX_HASHED, type ByteTrie, type TrieNode, type TrieWalk } from './byte-trie.js';

/** Whether some mock of a node is there now; asked only of nodes whose mocks depend on the state. */
export type IsThere = (node: TrieNode) => boolean;

/**
 * How many of the gathered bytes are the next message, 0 when more may have to be waited for.
 *
 * The longest mock that equals their start takes just its own bytes, unless all of them are a start of a longer mock.
 * Where no mock equals their start, they are one message.
 *
 * @param isFinal - whether nothing more is to be waited for
 * @param walk - what is known from when fewer of the bytes were there
 */
export function measureMessage(
  trie: ByteTrie,
  gathered: Buffer,
  isFinal: boolean,
  isThere: IsThere,
  walk?: TrieWalk,
): number {
  if (trie.isEmpty) return gathered.length;
  // Longer ones are looked for on the way to them, which goes on from where it ended.
  const whole = gathered.length <= MAX_HASHED ? trie.get(gathered) : undefined;
  // The common case: one message has come whole, and no longer mock begins like it.
  if (whole !== undefined && whole.steady > 0 && whole.total === whole.own) return gathered.length;
  const { starts, node, isAtNode } = trie.place(gathered, walk);
  if (!isFinal && node !== undefined && hasLonger(node, isAtNode, isThere)) return 0;
  for (let index = starts.length - 1; index >= 0; index -= 1) {
    const start = starts[index];
    if (start !== undefined && isNodeThere(start, isThere)) return start.depth;
  }
  return gathered.length;
}

function hasLonger(top: TrieNode, isAtNode: boolean, isThere: IsThere): boolean {
  if (top.steadyTotal > (isAtNode ? top.steady : 0)) return true;
  if (top.total === (isAtNode ? top.own : 0)) return false;
  const open = isAtNode ? [...top.children.values()] : [top];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isNodeThere(node, isThere)) return true;
    for (const child of node.children.values()) open.push(child);
  }
  return false;
}

function isNodeThere(node: TrieNode, isThere: IsThere): boolean {
  return node.steady > 0 || (node.own > 0 && isThere(node));
}
