import { invalid } from '../errors.js';
import { parseDuration, parseLongDuration } from '../time/duration.js';
import type { Check } from './check.js';
import { unfit } from './json-checks.js';
import { scalarCheck } from './number-checks.js';
import type { PatternSettings } from './pattern-settings.js';

const MAX_DATE_LENGTH = 64;
/** RFC 3339, section 5.6; a date alone is the beginning of that day in UTC. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;
/** RFC 9110, section 5.6.7: the preferred form and the first obsolete one; the second is without a zone. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;
const UNIX = /^-?\d{1,15}(?:\.\d{1,9})?$/;
const RELATIVE = /^now\s*([+-].*)?$/;
/** Larger numbers are milliseconds since 1970, smaller ones seconds (up to the year 5138). */
const MOST_SECONDS = 1e11;

/** Names of the fields that compare dates. */
export const DATE_FIELDS = ['before', 'after', 'within'] as const;

/**
 * `before`, `after` and `within`: RFC 3339, HTTP dates, and seconds or milliseconds since 1970; `now` is virtual time.
 *
 * @throws invalid for what is no date or duration, and where there is no clock
 */
export function dateCheck(
  name: (typeof DATE_FIELDS)[number],
  source: unknown,
  { surroundings }: PatternSettings,
): Check {
  if (surroundings === undefined)
    throw invalid(`pattern field "${name}" needs a clock, which only mocks have`);
  const now = surroundings.clock();
  if (name === 'within') {
    if (typeof source !== 'string') throw unfit(name, source, 'a duration such as "5m"');
    const reach = parseDuration(source);
    return scalarCheck((value) => {
      const date = readDate(value);
      return date !== undefined && Math.abs(date - now()) <= reach;
    }, `a date within ${source} of now`);
  }
  const bound = readBound(name, source);
  const at = bound.isRelative ? () => now() + bound.ms : () => bound.ms;
  return scalarCheck(
    (value) => {
      const date = readDate(value);
      return date !== undefined && (name === 'before' ? date < at() : date > at());
    },
    `a date ${name} ${String(source)}`,
  );
}

function readBound(name: string, source: unknown): { readonly isRelative: boolean; readonly ms: number } {
  if (typeof source === 'string') {
    const relative = RELATIVE.exec(source);
    if (relative !== null) {
      const shift = (relative[1] ?? '').replace(/\s/g, '');
      return { isRelative: true, ms: shift === '' ? 0 : parseLongDuration(shift) };
    }
  }
  const ms = typeof source === 'string' || typeof source === 'number' ? readDate(source) : undefined;
  if (ms === undefined) {
    throw unfit(
      name,
      source,
      'a date such as "2030-01-02T03:04:05Z", seconds or milliseconds since 1970, or "now", "now-5m", "now+1d"',
    );
  }
  return { isRelative: false, ms };
}

/** Milliseconds since 1970; `undefined` for what is no date. */
function readDate(value: string | number): number | undefined {
  if (typeof value === 'number') return fromUnix(value);
  if (value.length > MAX_DATE_LENGTH) return undefined;
  const text = value.trim();
  if (UNIX.test(text)) return fromUnix(Number(text));
  const read = RFC_3339.test(text)
    ? text.toUpperCase().replace(' ', 'T')
    : HTTP_DATE.test(text)
      ? text
      : ASCTIME.test(text)
        ? `${text} GMT`
        : undefined;
  const ms = read === undefined ? Number.NaN : Date.parse(read);
  return Number.isNaN(ms) ? undefined : ms;
}

function fromUnix(number: number): number {
  return Math.abs(number) < MOST_SECONDS ? number * 1000 : number;
}
