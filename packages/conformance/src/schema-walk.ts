import type { TSchema } from '@backlot/core/plugin';

type Schemas = Readonly<Record<string, TSchema>>;

/** The properties in these schemas that have no description, as paths. */
export function findUndescribed(schemas: Schemas): readonly string[] {
  const found: string[] = [];
  walk(schemas, (at, schema) => {
    for (const [name, property] of propertiesOf(schema)) {
      if (typeof property.description !== 'string' || property.description.trim() === '')
        found.push(`${at}.${name}`);
    }
  });
  return found;
}

/** The objects with fixed properties that would take any further one, as paths. */
export function findClosedness(schemas: Schemas): readonly string[] {
  const found: string[] = [];
  walk(schemas, (at, schema) => {
    if (propertiesOf(schema).length > 0 && schema['additionalProperties'] === undefined) found.push(at);
  });
  return found;
}

function propertiesOf(schema: TSchema): [string, TSchema][] {
  return Object.entries((schema['properties'] ?? {}) as Schemas);
}

/** Visits every schema once; those of core's own pattern language have no properties of this kind's making. */
function walk(schemas: Schemas, visit: (at: string, schema: TSchema) => void): void {
  const seen = new Set<TSchema>();
  const enter = (at: string, schema: TSchema | undefined): void => {
    if (schema === undefined || typeof schema !== 'object' || seen.has(schema)) return;
    seen.add(schema);
    visit(at, schema);
    for (const [name, property] of propertiesOf(schema)) enter(`${at}.${name}`, property);
    if (!Array.isArray(schema['items'])) enter(`${at}[]`, schema['items'] as TSchema | undefined);
    for (const part of [schema['anyOf'], schema['allOf'], schema['oneOf']]) {
      for (const option of (part ?? []) as TSchema[]) enter(at, option);
    }
    for (const value of Object.values((schema['patternProperties'] ?? {}) as Schemas))
      enter(`${at}.*`, value);
  };
  for (const [name, schema] of Object.entries(schemas)) enter(name, schema);
}
