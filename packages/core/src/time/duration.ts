import { invalid } from '../errors.js';

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MAX_DURATION = 10 * 366 * DAY;
const MAX_SHIFT = 1000 * 366 * DAY;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', SECOND],
  ['m', 60 * SECOND],
  ['h', HOUR],
]);

/**
 * Reads a Go-style duration such as `300ms`, `1.5s` or `1m30s` (units ns us µs ms s m h); `""` and `"0"` are 0.
 *
 * @returns milliseconds, possibly with a fraction
 * @throws invalid when the text is no duration, is negative, or is longer than ten years
 */
export function parseDuration(text: string): number {
  if (text.startsWith('-')) {
    throw invalid(`duration ${quote(text)} is negative; use zero or more, such as "500ms"`);
  }
  const value = parseParts(text, text, false);
  if (value > MAX_DURATION) {
    throw invalid(`duration ${quote(text)} is longer than ten years`);
  }
  return value;
}

/**
 * Reads a duration that moves a date: as {@link parseDuration}, also with `d` (24 hours) and a leading sign.
 *
 * @returns milliseconds, negative for a step back
 * @throws invalid when the text is no duration, or moves by more than a thousand years
 */
export function parseLongDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const unsigned = sign < 0 || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '' && text !== '') {
    throw notADuration(text, true);
  }
  const value = parseParts(text, unsigned, true);
  if (value > MAX_SHIFT) {
    throw invalid(`duration ${quote(text)} is longer than a thousand years`);
  }
  return value === 0 ? 0 : sign * value;
}

/** Writes milliseconds the way Go's `time.Duration` prints itself: `1m30s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(ms: number): string {
  if (ms < 0) {
    return `-${formatDuration(-ms)}`;
  }
  // Seconds and nanoseconds apart: ten years in nanoseconds do not fit a double exactly.
  let seconds = Math.floor(ms / SECOND);
  let nanos = Math.round((ms - seconds * SECOND) * 1e6);
  if (nanos === 1e9) {
    seconds += 1;
    nanos = 0;
  }
  if (seconds === 0) {
    return formatSmall(nanos);
  }
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${withFraction(seconds % 60, nanos, 9)}s`;
  if (hours > 0) {
    return `${hours}h${minutes}m${rest}`;
  }
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

function formatSmall(nanos: number): string {
  if (nanos === 0) {
    return '0s';
  }
  if (nanos < 1e3) {
    return `${nanos}ns`;
  }
  if (nanos < 1e6) {
    return `${withFraction(Math.floor(nanos / 1e3), nanos % 1e3, 3)}\u00b5s`;
  }
  return `${withFraction(Math.floor(nanos / 1e6), nanos % 1e6, 6)}ms`;
}

function withFraction(whole: number, fraction: number, digits: number): string {
  if (fraction === 0) {
    return String(whole);
  }
  return `${whole}.${String(fraction).padStart(digits, '0').replace(/0+$/, '')}`;
}

function parseParts(text: string, unsigned: string, withDays: boolean): number {
  if (unsigned === '' || unsigned === '0') {
    return 0;
  }
  if (unsigned.length > 100) {
    throw notADuration(text, withDays);
  }
  const part = /(\d+\.?\d*|\.\d+)([a-z\u00b5\u03bc]+)/y;
  let total = 0;
  while (part.lastIndex < unsigned.length) {
    const found = part.exec(unsigned);
    const name = found?.[2] ?? '';
    const unit = withDays && name === 'd' ? DAY : UNITS.get(name);
    if (found === null || unit === undefined) {
      throw notADuration(text, withDays);
    }
    total += Number(found[1]) * unit;
  }
  return total;
}

function notADuration(text: string, withDays: boolean): Error {
  const units = withDays ? 'ns us ms s m h d' : 'ns us ms s m h';
  return invalid(
    `${quote(text)} is not a duration; use a number with a unit (${units}), such as "500ms" or "1m30s"`,
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
