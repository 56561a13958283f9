import { isDeepStrictEqual } from 'node:util';
import type { Field, FieldTable } from '../wire/field-table.js';

/** Whether two values are the same. */
export function areSameFields(a: Field | undefined, b: Field | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && isDeepStrictEqual(a, b));
}

/** Whether two tables hold the same. */
export function areSameTables(a: FieldTable, b: FieldTable): boolean {
  return a === b || (a.size === b.size && [...a].every(([name, value]) => areSameFields(value, b.get(name))));
}
