/** Further parameters of a header are left out. */
const MAX_PARAMETERS = 20;

/**
 * Reads the parameters of a header such as `form-data; name="a"; filename="b"` (RFC 9110, section 5.6.6), by name in
 * lower case; the first of a name counts. `\"` and `\\` in a quoted value stand for the second character; other
 * backslashes stay, since old clients send whole paths of files.
 */
export function readParameters(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let left = MAX_PARAMETERS;
  for (let at = endOfToken(header, 0); at < header.length && left > 0; at = endOfToken(header, at)) {
    left -= 1;
    const equals = endOfName(header, at + 1);
    const name = header
      .slice(at + 1, equals)
      .trim()
      .toLowerCase();
    at = equals;
    if (header[equals] !== '=') continue;
    let start = equals + 1;
    while (header[start] === ' ' || header[start] === '\t') start += 1;
    let value: string;
    if (header[start] === '"') {
      at = endOfQuotes(header, start);
      if (at >= header.length) break;
      value = header.slice(start + 1, at).replace(/\\(["\\])/g, '$1');
    } else {
      at = endOfToken(header, start);
      value = header.slice(start, at).trimEnd();
    }
    if (name !== '' && !found.has(name)) found.set(name, value);
  }
  return found;
}

/** The place of the next semicolon, or the end. */
function endOfToken(header: string, start: number): number {
  const found = header.indexOf(';', start);
  return found < 0 ? header.length : found;
}

function endOfName(header: string, start: number): number {
  let at = start;
  while (at < header.length && header[at] !== '=' && header[at] !== ';') at += 1;
  return at;
}

/** The place of the quote that ends what one begins, or the end. */
function endOfQuotes(header: string, start: number): number {
  let at = start + 1;
  while (at < header.length && header[at] !== '"') at += header[at] === '\\' ? 2 : 1;
  return at;
}
