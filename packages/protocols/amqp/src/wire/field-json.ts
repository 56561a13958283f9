import type { Field, FieldTable } from './field-table.js';

/** A field table as JSON shows it. Numbers beyond 53 bits are texts, times RFC 3339, bytes base64. */
export function tableToJson(table: FieldTable): Record<string, unknown> {
  const json = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of table) json[name] = fieldToJson(value);
  return json;
}

/** A field as JSON shows it, see {@link tableToJson}. */
export function fieldToJson(value: Field): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (value instanceof Map) return tableToJson(value as FieldTable);
  if ('decimal' in value) return value.decimal.unscaled / 10 ** value.decimal.scale;
  if ('timestamp' in value) return timeToJson(value.timestamp.seconds);
  return (value as readonly Field[]).map(fieldToJson);
}

function timeToJson(seconds: number): string | number {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? seconds : time.toISOString();
}

/** A field table of JSON, as mocks and the configuration have it; bytes, which a template may have inserted, are a byte array. */
export function tableFromJson(json: object): FieldTable {
  return new Map(Object.entries(json).map(([name, value]) => [name, fieldFromJson(value)] as const));
}

function fieldFromJson(value: unknown): Field {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (value instanceof Uint8Array) return Buffer.from(value);
      return Array.isArray(value) ? value.map(fieldFromJson) : tableFromJson(value);
    default:
      return null;
  }
}
