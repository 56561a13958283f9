import type { TSchema } from '@sinclair/typebox';

/** A schema that stands in many places of a published document, and is written once there, under a name. */
export interface PublishedSchema {
  readonly name: string;
  readonly schema: TSchema;
}

/** By the branches of the union, which stay the same object whatever description a place gives it. */
const published = new WeakMap<object, PublishedSchema>();

/**
 * Gives a union the name under which documents hold it once, and refer to it from each place.
 *
 * @returns the same schema
 */
export function publishAs<Schema extends TSchema>(name: string, schema: Schema): Schema {
  const branches: unknown = schema['anyOf'];
  if (typeof branches === 'object' && branches !== null) published.set(branches, { name, schema });
  return schema;
}

/** The published schema that a schema is, a description of its own aside. */
export function publishedSchema(schema: object): PublishedSchema | undefined {
  const { anyOf } = schema as { anyOf?: unknown };
  return typeof anyOf === 'object' && anyOf !== null ? published.get(anyOf) : undefined;
}
