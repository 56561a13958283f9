const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Reads a file of JSON without the places of its values.
 *
 * @returns `undefined` when it is no object, is no JSON, has a key twice, a number in an unusual form, or a name that is to be
 * replaced: for the whole parser to read, or to say what is wrong
 */
export function readPlainJson(text: string): Record<string, unknown> | undefined {
  if (text.includes('${')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // Where a text is wanted, a number is the text that stands in the file: whole ones must be written as they are printed.
  if (/[\s:,[](?:-?\d+(?:\.0+|\.?\d*[eE][+-]?\d+)|-0|-?\d{16,})[\s,\]}]/.test(text)) return undefined;
  return countMembers(value) === countColons(text) ? (value as Record<string, unknown>) : undefined;
}

/** Each member of an object has one colon outside of texts. */
function countColons(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === COLON) count += 1;
    if (unit !== QUOTE) continue;
    for (index += 1; index < text.length && text.charCodeAt(index) !== QUOTE; index += 1) {
      if (text.charCodeAt(index) === BACKSLASH) index += 1;
    }
  }
  return count;
}

function countMembers(value: object): number {
  let count = 0;
  const waiting: object[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inner: readonly unknown[] = Array.isArray(next) ? (next as unknown[]) : Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const each of inner) if (typeof each === 'object' && each !== null) waiting.push(each);
  }
  return count;
}
