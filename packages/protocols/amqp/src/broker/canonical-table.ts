import type { Field, FieldTable } from '../wire/field-table.js';

/** A text that is the same for tables that hold the same, in whatever order. */
export function canonicalTable(table: FieldTable): string {
  if (table.size === 0) return '';
  const fields = [...table].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${canonicalField(value)}`).join(',')}}`;
}

function canonicalField(value: Field): string {
  if (value instanceof Map) return canonicalTable(value);
  if (Buffer.isBuffer(value)) return `x${value.toString('base64')}`;
  if (Array.isArray(value)) return `[${(value as readonly Field[]).map(canonicalField).join(',')}]`;
  if (typeof value === 'bigint') return `${value}n`;
  // Numbers that JSON does not have differ from each other, and 0 from -0, as they do in a comparison of values.
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return JSON.stringify(value);
}
