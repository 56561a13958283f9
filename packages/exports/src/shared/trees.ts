/** An object of a configuration: anything may stand in its fields. */
export type Tree = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one when it is none. */
export function treeOf(value: unknown): Tree {
  return isTree(value) ? value : {};
}

/** The objects of a list, or a single one; none when it is neither. */
export function treesOf(value: unknown): readonly Tree[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isTree);
}

/** The value when it is a text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The fields of an object that have a value. */
export function withoutAbsent(fields: Tree): Tree {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Blocks of kinds and what else a configuration has, with the mocks of one. */
export function mocksOf(configuration: Tree, kind: string, key = 'mocks'): readonly Tree[] {
  const block = treeOf(treeOf(configuration['protocols'])[kind]);
  return Array.isArray(block[key]) ? (block[key] as unknown[]).filter(isTree) : [];
}
