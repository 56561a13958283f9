import { plainRecord } from './plain-record.js';
import type { Fields } from './query.js';

/** Deeper names stay flat. */
const MAX_DEPTH = 10;
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;
const INDEX = /^\d{1,9}$/;

/** The values of a name, or the names inside of it. */
interface Node {
  value: string | readonly string[] | undefined;
  readonly inner: Map<string, Node>;
}

/**
 * Shows fields whose names have brackets as what they mean as well: `l[0]` and `l[]` as elements of a list `l`, `m[k]` as
 * the field `k` of `m`. The names as they came are there too, though not when it is written as JSON; a field whose name is
 * that of a list comes before it.
 */
export function nestFields(fields: Fields): Readonly<Record<string, unknown>> {
  const roots = new Map<string, Node>();
  for (const name of Object.keys(fields)) {
    const [, root, rest] = name.includes('[') ? (NAME.exec(name) ?? []) : [];
    if (root === undefined || rest === undefined) continue;
    const keys = rest.slice(1, -1).split('][');
    if (keys.length > MAX_DEPTH || Object.hasOwn(fields, root)) continue;
    let node = nodeIn(roots, root);
    for (const key of keys) node = nodeIn(node.inner, key);
    node.value = fields[name];
  }
  if (roots.size === 0) return fields;
  const shown = plainRecord<unknown>();
  for (const [name, value] of Object.entries(fields)) {
    const isNested = roots.has(NAME.exec(name)?.[1] ?? '');
    Object.defineProperty(shown, name, { value, enumerable: !isNested });
  }
  for (const [name, node] of roots) shown[name] = valueOf(node);
  return shown;
}

function nodeIn(nodes: Map<string, Node>, key: string): Node {
  let node = nodes.get(key);
  if (node === undefined) nodes.set(key, (node = { value: undefined, inner: new Map() }));
  return node;
}

function valueOf({ value, inner }: Node): unknown {
  if (inner.size === 0) return value;
  const keys = [...inner.keys()];
  if (!keys.every((key) => key === '' || INDEX.test(key))) {
    const made = plainRecord<unknown>();
    for (const [key, node] of inner) made[key] = valueOf(node);
    return made;
  }
  // By number, those without one last: a list has no holes, whatever the numbers are.
  const ordered = [...inner].sort(([a], [b]) => orderOf(a) - orderOf(b));
  return ordered.flatMap(([key, node]) => (key === '' ? [valueOf(node)].flat() : [valueOf(node)]));
}

function orderOf(key: string): number {
  return key === '' ? Number.MAX_SAFE_INTEGER : Number(key);
}
