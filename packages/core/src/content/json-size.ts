import { BacklotError } from '../errors.js';

/** How many characters of JSON one answer may have: writing it occupies the event loop for some 20 ms. */
const MAX_JSON = 5 * 1024 * 1024;
/** What a value costs beside its characters: quotes, commas, colons. */
const MARKS = 4;

/**
 * Writes a value as JSON. A value may hold the same part of a message many times, so its size is looked at before.
 *
 * @throws too_large when it is more than 5 MiB of JSON, by an estimate that counts no escapes
 */
export function writeJson(value: unknown): string {
  if (typeof value === 'object' && value !== null) checkSize(value);
  return JSON.stringify(value, plain) ?? 'null';
}

function checkSize(value: object): void {
  let left = MAX_JSON;
  const waiting: object[] = [value];
  const add = (inner: unknown): void => {
    left -= MARKS;
    if (typeof inner === 'string') left -= inner.length;
    else if (typeof inner === 'object' && inner !== null) waiting.push(inner);
    if (left < 0) {
      throw new BacklotError(
        'too_large',
        `the JSON of the answer is larger than ${MAX_JSON / 1024 / 1024} MiB; insert less of the message`,
      );
    }
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next)) {
      for (const item of next as unknown[]) add(item);
      continue;
    }
    for (const [name, inner] of Object.entries(next)) {
      left -= name.length;
      add(inner);
    }
  }
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
