import type { Registry } from './registry.js';

/** What begins a value that a schema describes; the id of the schema follows in four bytes (Confluent's wire format). */
const MAGIC = 0;
const HEAD = 5;
/** The largest value that is decoded, in bytes: one is not decoded in steps. */
export const MAX_DECODED = 256 * 1024;

/** A value as JSON, with the schema that it was written by. */
export interface DecodedValue {
  readonly json: Buffer;
  readonly schemaId: number;
}

/** Decodes a value; `undefined` when it is none that a schema of the registry describes. */
export function decodeValue(bytes: Buffer | null, { store }: Registry): DecodedValue | undefined {
  if (bytes === null || bytes.length < HEAD || bytes.length > MAX_DECODED || bytes[0] !== MAGIC)
    return undefined;
  const schemaId = bytes.readUInt32BE(1);
  const schema = store.schema(schemaId);
  if (schema === undefined) return undefined;
  try {
    return { json: Buffer.from(JSON.stringify(schema.parsed.decode(bytes.subarray(HEAD)))), schemaId };
  } catch {
    // The bytes are something else, or do not fit: they are shown as they are.
    return undefined;
  }
}

/**
 * Encodes JSON with the latest schema of a subject.
 *
 * @throws Error when there is none, or the value does not fit
 */
export function encodeValue(json: Buffer, subject: string, registry: Registry | undefined): Buffer {
  if (registry === undefined) {
    throw new Error(`there is no schema registry for the schema "${subject}"; set schema_registry`);
  }
  const found = registry.store.find(subject, 'latest');
  if (found === undefined) throw new Error(`the schema registry has no subject "${subject}"`);
  const { id, parsed } = found.schema;
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(id, 1);
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch {
    throw new Error(
      `what is encoded with the schema "${subject}" is not JSON: ${json.toString('utf8', 0, 100)}`,
    );
  }
  return Buffer.concat([head, parsed.encode(value)]);
}
