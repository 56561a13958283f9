import { SupabaseError } from './api.mjs';

/** An error in the form of PostgREST: codes beginning with PGRST are its own, others those of PostgreSQL. */
export function restError(status, code, message, details = null, hint = null) {
  return new SupabaseError(status, { code, details, hint, message });
}

export const badQuery = (text, details) =>
  restError(400, 'PGRST100', `"failed to parse ${text}"`, details ?? null);

export const noColumn = (table, column) =>
  restError(400, '42703', `column ${table}.${column} does not exist`);

export const invalidInput = (type, value) =>
  restError(400, '22P02', `invalid input syntax for type ${type}: "${value}"`);
