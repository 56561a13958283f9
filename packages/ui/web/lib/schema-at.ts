import type { KindSchema, Schema } from './kinds.js';

/** Where schemas are found. */
export interface SchemaSource {
  readonly schema: Schema;
  readonly defs: KindSchema['$defs'];
}

/** How deep references and alternatives are followed. */
const MAX_DEPTH = 6;

/** All forms that a schema allows, references followed. */
export function formsOf({ schema, defs }: SchemaSource, depth = 0): readonly Schema[] {
  if (depth > MAX_DEPTH) return [];
  const { $ref: ref, anyOf, allOf } = schema;
  if (ref !== undefined) {
    const found = defs[ref.replace(/^.*\//, '')];
    return found === undefined ? [] : formsOf({ schema: found, defs }, depth + 1);
  }
  const inner = [...(anyOf ?? []), ...(allOf ?? [])];
  if (inner.length === 0) return [schema];
  return inner.flatMap((each) => formsOf({ schema: each, defs }, depth + 1));
}

function schemasAt(source: SchemaSource, path: readonly string[]): readonly Schema[] {
  let found = formsOf(source);
  for (const step of path) {
    found = found.flatMap((schema) => {
      const further =
        schema.properties?.[step] ??
        schema.items ??
        Object.values(schema.patternProperties ?? {})[0] ??
        schema.additionalProperties;
      return typeof further === 'object' ? formsOf({ schema: further, defs: source.defs }) : [];
    });
  }
  return found;
}

/** The fields that an object at a place may have. */
export function fieldsAt(
  source: SchemaSource,
  path: readonly string[],
): readonly { name: string; detail: string }[] {
  const fields = new Map<string, string>();
  for (const { properties = {} } of schemasAt(source, path)) {
    for (const [name, { description = '' }] of Object.entries(properties))
      if (!fields.has(name)) fields.set(name, description);
  }
  return Array.from(fields, ([name, detail]) => ({ name, detail }));
}

/** The values that a schema names for a place. */
export function valuesAt(source: SchemaSource, path: readonly string[]): readonly unknown[] {
  const values = new Set<unknown>();
  for (const schema of schemasAt(source, path)) {
    if (schema.const !== undefined) values.add(schema.const);
    for (const value of [...(schema.enum ?? []), ...(schema.examples ?? [])]) values.add(value);
    if (schema.type === 'boolean') values.add(true).add(false);
  }
  return [...values];
}

/** The fields of an object by name, of all forms of its schema. */
export function mergedProperties(source: SchemaSource): Readonly<Record<string, Schema>> {
  return Object.assign({}, ...formsOf(source).map(({ properties = {} }) => properties)) as Readonly<
    Record<string, Schema>
  >;
}
