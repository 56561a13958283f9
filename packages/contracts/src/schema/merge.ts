import { isTree, listOf, type Tree } from '../shared/values.js';

/** A schema that says what both say, as far as samples need it: of what contradicts, the second counts. */
export function mergeSchemas(first: Tree, second: unknown): Tree {
  if (!isTree(second)) return first;
  const merged: Record<string, unknown> = { ...first };
  for (const [word, value] of Object.entries(second)) {
    const before = Object.hasOwn(first, word) ? first[word] : undefined;
    if (word === 'properties' && isTree(before) && isTree(value)) {
      merged[word] = mergeProperties(before, value);
    } else if (word === 'required') {
      merged[word] = [...new Set([...listOf(before), ...listOf(value)])];
    } else if (word === 'allOf') {
      merged[word] = [...listOf(before), ...listOf(value)];
    } else if (word === 'minimum' || word === 'minLength' || word === 'minItems') {
      merged[word] = Math.max(Number(before ?? value), Number(value));
    } else if (word === 'maximum' || word === 'maxLength' || word === 'maxItems') {
      merged[word] = Math.min(Number(before ?? value), Number(value));
    } else if (word === 'type' && value === 'number' && before === 'integer') {
      merged[word] = before;
    } else if (word === 'enum' && Array.isArray(before)) {
      const both = before.filter((one) => listOf(value).includes(one));
      merged[word] = both.length > 0 ? both : value;
    } else {
      merged[word] = value;
    }
  }
  return merged;
}

/** Properties of both; one of both must be as either says. */
function mergeProperties(first: Tree, second: Tree): Tree {
  const merged: [string, unknown][] = Object.entries(first).map(([name, property]) => [
    name,
    Object.hasOwn(second, name) && isTree(property) && isTree(second[name])
      ? bothOf(property, second[name])
      : property,
  ]);
  for (const [name, property] of Object.entries(second)) {
    if (!Object.hasOwn(first, name)) merged.push([name, property]);
  }
  return Object.fromEntries(merged);
}

function bothOf(first: Tree, second: Tree): Tree {
  // References are not followed here, so that nothing is expanded.
  return Object.hasOwn(first, '$ref') || Object.hasOwn(second, '$ref')
    ? { allOf: [first, second] }
    : mergeSchemas(first, second);
}
