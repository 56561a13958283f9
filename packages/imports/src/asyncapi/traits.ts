import type { ImportFile } from '@backlot/core/plugin';
import { isTree, listOf, textOf, type Tree } from '@backlot/contracts';
import type { Tools } from './document.js';

const MOST = 50;
const DEEPEST = 20;

/** An operation or a message with what its traits bring. Of what both say, version 2 takes the trait, and 3 does not. */
export function mergeTraits(value: Tree, document: ImportFile, { references, root }: Tools): Tree {
  const isSecond = textOf(root['asyncapi'])?.startsWith('2') === true;
  return listOf(value['traits'])
    .slice(0, MOST)
    .reduce<Tree>((merged, given) => {
      const trait = references.follow({ value: given, document }).value;
      if (!isTree(trait)) return merged;
      return isSecond ? mergeOver(merged, trait, 0) : mergeOver(trait, merged, 0);
    }, value);
}

function mergeOver(below: Tree, above: Tree, depth: number): Tree {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = Object.hasOwn(below, name) ? below[name] : undefined;
    merged[name] =
      isTree(before) && isTree(value) && depth < DEEPEST ? mergeOver(before, value, depth + 1) : value;
  }
  return merged;
}
