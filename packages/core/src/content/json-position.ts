/** Where a text stops being JSON, and what would be right there. */
export interface JsonFault {
  /** Counted in characters from 0. */
  readonly position: number;
  readonly expected: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Finds the place where a text stops being JSON (RFC 8259); the parser of the language names it only sometimes.
 * The text must not be nested deeply.
 *
 * @returns `undefined` when the text is JSON
 */
export function findJsonFault(text: string): JsonFault | undefined {
  let at = 0;

  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return false;
    at = pattern.lastIndex;
    return true;
  };
  const take = (character: string): boolean => {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const fault = (expected: string): JsonFault => ({ position: at, expected });

  const readText = (): JsonFault | undefined => {
    for (;;) {
      skip(PLAIN);
      if (take('"')) return undefined;
      if (text[at] !== '\\') return fault('a closing quote, and control characters written as escapes');
      if (!skip(ESCAPE)) return fault('an escape such as \\n or \\u0041');
    }
  };

  const readMembers = (close: string, readMember: () => JsonFault | undefined): JsonFault | undefined => {
    skip(SPACE);
    if (take(close)) return undefined;
    for (;;) {
      const problem = readMember();
      if (problem !== undefined) return problem;
      skip(SPACE);
      if (take(close)) return undefined;
      if (!take(',')) return fault(`"," or "${close}"`);
    }
  };

  const readPair = (): JsonFault | undefined => {
    skip(SPACE);
    if (!take('"')) return fault('a name in double quotes');
    const problem = readText();
    if (problem !== undefined) return problem;
    skip(SPACE);
    return take(':') ? readValue() : fault('":"');
  };

  const readValue = (): JsonFault | undefined => {
    skip(SPACE);
    if (take('"')) return readText();
    if (take('{')) return readMembers('}', readPair);
    if (take('[')) return readMembers(']', readValue);
    return skip(WORD) || skip(NUMBER) ? undefined : fault('a JSON value');
  };

  const problem = readValue();
  if (problem !== undefined) return problem;
  skip(SPACE);
  return at < text.length ? fault('the end of the text') : undefined;
}
