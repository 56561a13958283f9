import { isTree, type Tree } from '../shared/trees.js';

const DEEPEST = 12;
const MOST_MEMBERS = 200;

/** A schema that describes a value, and others like it. */
export function schemaOf(value: unknown, depth = 0): Tree {
  if (value === null) return { type: 'null' };
  if (typeof value === 'boolean' || typeof value === 'string') return { type: typeof value };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  if (depth > DEEPEST) return {};
  if (Array.isArray(value))
    return { type: 'array', ...(value.length === 0 ? {} : { items: schemaOf(value[0], depth + 1) }) };
  if (!isTree(value)) return {};
  const members = Object.entries(value).slice(0, MOST_MEMBERS);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, inner]) => [name, schemaOf(inner, depth + 1)])),
  };
}
