/** How many values one text of JSON may hold where it is parsed for a single message: near 50 ms of parsing. */
export const MAX_JSON_VALUES = 250_000;

/** A wide object becomes a hash table, whose members cost the parser several times as much. */
const WIDE_OBJECT = 100;
const WIDE_MEMBER = 4;

const COMPOSITE = /^[ \t\r\n]*[[{]/;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether a text of JSON holds more than {@link MAX_JSON_VALUES} values, each member of an object beyond its first
 * hundred counted as four. It is told by the commas and brackets outside of texts, at a small part of what parsing costs;
 * for what is no JSON the answer means nothing.
 */
export function isLargeJson(text: string): boolean {
  // Each value but the last takes two characters at least, a member of a wide object nine.
  if (text.length < MAX_JSON_VALUES) return false;
  // What begins neither a list nor an object is one value, or no JSON, which the parser sees at once.
  if (!COMPOSITE.test(text)) return false;
  /** For each list and object around the place: the members of an object so far, or NaN for a list. */
  const around: number[] = [];
  let members = Number.NaN;
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfText(text, index + 1);
        break;
      case COMMA:
        members += 1;
        values += members > WIDE_OBJECT ? WIDE_MEMBER : 1;
        if (values > MAX_JSON_VALUES) return true;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        around.push(members);
        members = text.charCodeAt(index) === OPEN_OBJECT ? 1 : Number.NaN;
        values += 1;
        if (values > MAX_JSON_VALUES) return true;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        members = around.pop() ?? Number.NaN;
        break;
    }
  }
  return false;
}

/** Where the quote stands that ends a text of JSON: one with an even number of backslashes before it. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
