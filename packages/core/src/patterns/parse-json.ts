/** Texts up to this length are quick to parse whatever they hold. */
const ALWAYS_QUICK = 512 * 1024;
/** The most values that a longer text may hold. */
const MOST_VALUES = 200_000;

/**
 * Parses a JSON text that a client has sent, in a list, since `undefined` is not JSON and `null` is. What would take long
 * is not parsed: a text of more than 512 Ki characters that holds more than 200,000 values counts as no JSON.
 *
 * @returns an empty list when it is no JSON
 */
export function parseJson(text: string): readonly [] | readonly [unknown] {
  if (holdsTooMuch(text)) return [];
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return [];
  }
}

/** Whether a JSON text is so long, and holds so many values, that {@link parseJson} leaves it alone. */
export function holdsTooMuch(text: string): boolean {
  if (text.length <= ALWAYS_QUICK || !/^\s*[[{]/.test(text)) return false;
  // What separates or opens values is counted, outside of strings.
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22:
        index = endOfString(text, index);
        break;
      case 0x2c: // ,
      case 0x5b: // [
      case 0x7b: // {
        count += 1;
        if (count > MOST_VALUES) return true;
        break;
      default:
    }
  }
  return false;
}

/** The place of the quote that ends a string; the end of the text when nothing does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
