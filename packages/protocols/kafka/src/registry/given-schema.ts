import { REGISTRY_ERRORS } from './registry-error.js';
import type { GivenVersion } from './registry.js';
import { SCHEMA_TYPES, type SchemaReference } from './schema-format.js';

/**
 * Reads the schema in the body of a request.
 *
 * @throws RegistryError when it is none
 */
export function readGivenSchema(body: Readonly<Record<string, unknown>>): GivenVersion {
  const { schema, schemaType = 'AVRO', references, id, version } = body;
  const type = SCHEMA_TYPES.find((each) => each === schemaType);
  if (type === undefined) {
    throw REGISTRY_ERRORS.invalidSchema(
      `${JSON.stringify(schemaType)} is no type; use ${SCHEMA_TYPES.join(', ')}`,
    );
  }
  if (typeof schema !== 'string' || schema === '') throw REGISTRY_ERRORS.invalidSchema('Empty schema');
  return {
    type,
    text: schema,
    references: readReferences(references),
    id: readPositive(id),
    version: readPositive(version),
  };
}

function readReferences(given: unknown): readonly SchemaReference[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw REGISTRY_ERRORS.invalidSchema('references must be a list');
  return given.map((each: unknown) => {
    const { name, subject, version } = (each ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof subject !== 'string' || typeof version !== 'number') {
      throw REGISTRY_ERRORS.invalidSchema('a reference has a name, a subject and a version');
    }
    return { name, subject, version };
  });
}

/** Clients send 0 and -1 for none. */
function readPositive(given: unknown): number | undefined {
  return typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : undefined;
}
