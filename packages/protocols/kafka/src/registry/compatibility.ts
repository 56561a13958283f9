import type { ParsedSchema } from './schema-format.js';

/** The levels of compatibility. */
export const LEVELS = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const;
export type Level = (typeof LEVELS)[number];

/** A level by its name in any case; `undefined` for none. */
export function parseLevel(text: unknown): Level | undefined {
  const name = typeof text === 'string' ? text.toUpperCase() : '';
  return LEVELS.find((level) => level === name);
}

/**
 * Why a schema does not go together with earlier ones, in steps; empty when it does.
 *
 * @param earlier - the newest last
 */
export function* findIncompatibilities(
  schema: ParsedSchema,
  earlier: readonly ParsedSchema[],
  level: Level,
): Generator<undefined, readonly string[]> {
  if (level === 'NONE') return [];
  const compared = level.endsWith('_TRANSITIVE') ? earlier.toReversed() : earlier.slice(-1);
  const readsOld = !level.startsWith('FORWARD');
  const isReadByOld = !level.startsWith('BACKWARD');
  for (const before of compared) {
    const reasons = [
      ...(readsOld ? schema.problemsReading(before) : []),
      ...(isReadByOld ? before.problemsReading(schema) : []),
    ];
    if (reasons.length > 0) return [...new Set(reasons)].slice(0, 20);
    yield;
  }
  return [];
}
