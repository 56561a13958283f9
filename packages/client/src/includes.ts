import type { AsymmetricMatcher } from './wanted.js';

/** Compares two values as a whole, as `this.equals` of a runner does. */
export type Equals = (actual: unknown, wanted: unknown) => boolean;

/** Whether a value has the wanted values, see {@link Wanted}. */
export function includes(given: unknown, wanted: unknown, equals: Equals): boolean {
  const actual = asWanted(given, wanted);
  if (isAsymmetric(wanted)) return equals(actual, wanted);
  if (wanted instanceof RegExp && typeof actual === 'string') return matches(wanted, actual);
  if (isList(wanted)) {
    return (
      isList(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => includes(actual[index], item, equals))
    );
  }
  if (isRecord(wanted)) {
    return (
      isRecord(actual) && Object.keys(wanted).every((key) => includes(own(actual, key), wanted[key], equals))
    );
  }
  return equals(actual, wanted);
}

/** The JSON that a text is where an object or a list is wanted; anything else as it is. */
export function asWanted(actual: unknown, wanted: unknown): unknown {
  if (typeof actual !== 'string' || isAsymmetric(wanted) || !(isList(wanted) || isRecord(wanted)))
    return actual;
  try {
    return JSON.parse(actual) as unknown;
  } catch {
    return actual;
  }
}

/** A search must begin anew each time, also of an expression with the flag `g`. */
function matches(expression: RegExp, text: string): boolean {
  return text.search(expression) !== -1;
}

export function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return (
    typeof value === 'object' &&
    value !== null &&
    'asymmetricMatch' in value &&
    typeof value.asymmetricMatch === 'function'
  );
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

export function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
