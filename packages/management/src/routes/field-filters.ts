import { TextInPieces } from '../answer/json-pieces.js';
import { compilePattern, type Pattern, type PatternSource } from '@backlot/core';
import {
  PatternSchema,
  Type,
  checkAt,
  invalid,
  parseDuration,
  type TObject,
  type TSchema,
} from '@backlot/core/plugin';

/** How deep values within values are looked at. */
const MAX_DEPTH = 8;

/** Whether a value passes, of which long texts may be {@link TextInPieces}; yields between two texts or pieces that it looks at, see `runInSlices`. */
export type FieldTest = (value: unknown) => Generator<void, boolean>;

/** What people select values by: the fields that a schema declares, and two points in time. */
export interface FieldFilters {
  /** The query parameters, each a pattern as a text. */
  readonly query: Readonly<Record<string, TSchema & { description?: string }>>;
  /** The schema of the same in a JSON body, where a pattern may be an object as well. */
  readonly body: TObject;
  /**
   * Compiles what was given.
   *
   * @param given - patterns by field; names that are no fields are passed over
   * @param now - milliseconds since 1970, for a `since` such as `5m`
   * @param at - the JSON pointer of what was given
   * @returns undefined when nothing was given
   * @throws BacklotError `invalid`
   */
  compile(given: Readonly<Record<string, unknown>>, now: number, at?: string): FieldTest | undefined;
}

/** What a schema is not filtered by, and where its time is. */
interface FilterSettings {
  /** Fields that have other ways to be asked for. */
  readonly without?: readonly string[];
  /** The field with the time, for `since` and `until`. */
  readonly timeField?: string;
}

/** Makes the filters of all fields of a schema. */
export function fieldFilters(
  schema: TObject,
  { without = [], timeField = 'timestamp' }: FilterSettings = {},
): FieldFilters {
  const fields = Object.entries(schema.properties).filter(([name]) => !without.includes(name));
  const query: Record<string, TSchema & { description?: string }> = {};
  const body: Record<string, TSchema> = {};
  for (const [name, field] of fields) {
    query[name] = queryField(name, field);
    body[name] = Type.Optional(field.type === 'boolean' ? Type.Boolean() : PatternSchema);
  }
  if (Object.hasOwn(schema.properties, timeField)) {
    Object.assign(query, TIMES);
    for (const [name, time] of Object.entries(TIMES)) body[name] = Type.Optional(time);
  }
  const names = fields.map(([name]) => name);
  return {
    query,
    body: Type.Object(body, {
      additionalProperties: false,
      description: 'By field what it must have: patterns; of a list, and of an object, one entry.',
    }),
    compile: (given, now, at = '') => compile(given, names, timeField, now, at),
  };
}

const TIMES = {
  since: Type.String({
    minLength: 1,
    description: 'Only what came at this time or later: RFC 3339, or a duration before now, such as `5m`.',
  }),
  until: Type.String({ minLength: 1, description: 'Only what came before this time, see `since`.' }),
};

function queryField(name: string, { type, description }: TSchema): TSchema & { description?: string } {
  const what = typeof description === 'string' && description !== '' ? ` ${description}` : '';
  if (type === 'boolean') return Type.Boolean({ description: `Only where \`${name}\` is so.${what}` });
  const how =
    type === 'object'
      ? `Only where \`name: value\` of an entry of \`${name}\` fits this pattern.`
      : `Only where \`${name}\` fits this pattern.`;
  return Type.String({ description: `${how}${what}` });
}

function compile(
  given: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  timeField: string,
  now: number,
  at: string,
): FieldTest | undefined {
  const patterns: (readonly [field: string, pattern: Pattern])[] = [];
  for (const field of fields) {
    const source = Object.hasOwn(given, field) ? given[field] : undefined;
    if (source === undefined) continue;
    const pattern = checkAt(`${at}/${field}`, () =>
      compilePattern(typeof source === 'boolean' ? String(source) : (source as PatternSource)),
    );
    if (!pattern.any) patterns.push([field, pattern]);
  }
  const since = timeOf(given['since'] as string | undefined, now, `${at}/since`);
  const until = timeOf(given['until'] as string | undefined, now, `${at}/until`);
  if (patterns.length === 0 && since === undefined && until === undefined) return undefined;
  return function* (value) {
    const record = value as Readonly<Record<string, unknown>>;
    if (since !== undefined || until !== undefined) {
      const time = Date.parse(String(record[timeField]));
      if (!(time >= (since ?? -Infinity) && time < (until ?? Infinity))) return false;
    }
    for (const [field, pattern] of patterns) {
      if (!(yield* hasText(record[field], pattern))) return false;
    }
    return true;
  };
}

/** Whether one of the texts of a value fits; a value without any is an absent one. */
function* hasText(value: unknown, pattern: Pattern): Generator<void, boolean> {
  if (value instanceof TextInPieces) return yield* pattern.testInPieces(value);
  let isAbsent = true;
  for (const text of textsOf(value, '', 0)) {
    if (pattern.test(text)) return true;
    isAbsent = false;
    yield;
  }
  return isAbsent && pattern.test(undefined);
}

/** A text itself, each element of a list, and of an object `name: value` for each of its entries. */
function* textsOf(value: unknown, before: string, depth: number): Generator<string, void> {
  if (value === undefined || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* textsOf(each, before, depth + 1);
  } else if (typeof value === 'object') {
    const path = before === '' ? '' : `${before.slice(0, -2)}.`;
    for (const [name, each] of Object.entries(value)) yield* textsOf(each, `${path}${name}: `, depth + 1);
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    yield before + String(value);
  }
}

function timeOf(text: string | undefined, now: number, at: string): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  try {
    return now - parseDuration(text);
  } catch {
    const message = `must be a date in RFC 3339, as in 2026-01-31T12:00:00Z, or a duration, as in 5m, got ${JSON.stringify(text.slice(0, 100))}`;
    throw invalid(message, [{ path: at, message }]);
  }
}
