import { randomBytes, randomUUID } from 'node:crypto';

/**
 * A body, or each value of one that is a list, with an id where it has none. What is no object is left for the host to refuse.
 *
 * @param field - the field of the id
 * @param prefix - what the id begins with; it is a UUID when absent
 */
export function eachWithId(body: unknown, field: string, prefix?: string): unknown {
  if (Array.isArray(body)) return body.map((value: unknown) => withId(value, field, prefix));
  return withId(body, field, prefix);
}

function withId(value: unknown, field: string, prefix: string | undefined): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if ((value as Readonly<Record<string, unknown>>)[field] !== undefined) return value;
  // Other replicas make ids at the same time, so that none can look whether one is taken.
  const id = prefix === undefined ? randomUUID() : `${prefix}-${randomBytes(6).toString('hex')}`;
  return { [field]: id, ...value };
}
