import { isBacklotError, parseLargeJson } from '@backlot/core/plugin';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Characters of a text that is parsed at once: ten milliseconds and less. */
const LARGE = 128 * 1024;
/** A file may hold more than what clients send: it is the user's own. */
const UNBOUNDED = { members: Infinity, values: Infinity };
/** How many characters or values are gone through before other work is let in. */
const STEP = 100_000;

/**
 * Reads a file of JSON, in steps, without the places of its values.
 *
 * @returns `undefined` when it is no object, is no JSON, has a key twice, or a number in an unusual form: for the whole parser to read, or to say what is wrong
 */
export function* readPlainJsonSteps(
  text: string,
): Generator<undefined, Readonly<Record<string, unknown>> | undefined> {
  let value: unknown;
  try {
    value = text.length > LARGE ? yield* parseLargeJson(text, undefined, UNBOUNDED) : JSON.parse(text);
  } catch (thrown) {
    if (!isBacklotError(thrown)) return undefined;
    // It is nested deeper than what is parsed in pieces may be; the whole parser would take longer than this.
    value = parseAtOnce(text);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // Where a text is wanted, a number is the text that stands in the file: whole ones must be written as they are printed.
  yield;
  if (/[\s:,[](?:-?\d+(?:\.0+|\.?\d*[eE][+-]?\d+)|-0|-?\d{16,})[\s,\]}]/.test(text)) return undefined;
  const isPlain = (yield* countMemberSteps(value)) === (yield* countColonSteps(text));
  return isPlain ? (value as Record<string, unknown>) : undefined;
}

function parseAtOnce(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each member of an object has one colon outside of texts. */
function* countColonSteps(text: string): Generator<undefined, number> {
  let count = 0;
  let pause = STEP;
  for (let index = 0; index < text.length; index += 1) {
    if (index > pause) {
      pause = index + STEP;
      yield;
    }
    const unit = text.charCodeAt(index);
    if (unit === COLON) count += 1;
    if (unit !== QUOTE) continue;
    for (index += 1; index < text.length && text.charCodeAt(index) !== QUOTE; index += 1) {
      if (text.charCodeAt(index) === BACKSLASH) index += 1;
    }
  }
  return count;
}

function* countMemberSteps(value: object): Generator<undefined, number> {
  let count = 0;
  let seen = 0;
  const waiting: object[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inner: readonly unknown[] = Array.isArray(next) ? (next as unknown[]) : Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    seen += 1;
    if (seen % 1000 === 0) yield;
    for (const each of inner) if (typeof each === 'object' && each !== null) waiting.push(each);
  }
  return count;
}
