import { isDeepStrictEqual } from 'node:util';
import { asWanted, includes, isAsymmetric, isList, isRecord, own, type Equals } from '@backlot/client';

/** The comparison that is used when no runner gives one. */
export const plainEquals: Equals = (actual, wanted) =>
  isAsymmetric(wanted) ? wanted.asymmetricMatch(actual) : isDeepStrictEqual(actual, wanted);

/**
 * The part of a value that a difference should show: only the fields that are wanted, and where one is as wanted, the
 * wanted value itself, so that nothing but what differs stands out.
 */
export function narrow(given: unknown, wanted: unknown, equals: Equals): unknown {
  const actual = asWanted(given, wanted);
  if (includes(actual, wanted, equals)) return wanted;
  if (isList(wanted) && isList(actual)) {
    return actual.map((item, index) => (index < wanted.length ? narrow(item, wanted[index], equals) : item));
  }
  if (!isRecord(wanted) || !isRecord(actual) || isAsymmetric(wanted)) return actual;
  const keys = Object.keys(wanted).filter((key) => Object.hasOwn(actual, key));
  return Object.fromEntries(keys.map((key) => [key, narrow(actual[key], wanted[key], equals)]));
}

/** The fields of a value that are wanted, as they are; a value that is no object as a whole. */
export function pick(given: unknown, wanted: unknown): unknown {
  const actual = asWanted(given, wanted);
  if (!isRecord(wanted) || !isRecord(actual) || isAsymmetric(wanted)) return actual;
  const keys = Object.keys(wanted).filter((key) => Object.hasOwn(actual, key));
  return Object.fromEntries(keys.map((key) => [key, pick(actual[key], wanted[key])]));
}

/** How much of what is wanted a value has: 0 is nothing, 1 all. */
export function closeness(actual: unknown, wanted: unknown, equals: Equals): number {
  if (includes(actual, wanted, equals)) return 1;
  const parts = partsOf(actual, wanted);
  if (parts.length === 0) return sharedText(actual, wanted);
  const sum = parts.reduce((total, [part, wantedPart]) => total + closeness(part, wantedPart, equals), 0);
  return sum / (parts.length + 1);
}

function partsOf(given: unknown, wanted: unknown): readonly (readonly [unknown, unknown])[] {
  const actual = asWanted(given, wanted);
  if (isList(wanted) && isList(actual)) return wanted.map((item, index) => [actual[index], item] as const);
  if (!isRecord(wanted) || !isRecord(actual)) return [];
  return Object.keys(wanted).map((key) => [own(actual, key), wanted[key]] as const);
}

/** Of two texts, how much they have in common at their beginning; at most a half, since they differ. */
function sharedText(actual: unknown, wanted: unknown): number {
  if (typeof actual !== 'string' || typeof wanted !== 'string') return 0;
  const longest = Math.max(actual.length, wanted.length);
  let shared = 0;
  while (shared < longest && actual[shared] === wanted[shared]) shared += 1;
  return shared / (2 * longest);
}
