const MAX_PARAMETERS = 32;

/**
 * Reads the parameters of an `Authorization: Digest` header (RFC 9110, section 11.2). Names are in lower case;
 * values in quotes are unescaped, where a backslash escapes only a quote or a backslash: some clients send
 * `DOMAIN\user` as it is.
 *
 * @returns undefined when the text is malformed, or names a parameter twice
 */
export function parseParameters(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  let at = skip(text, 0, ', \t');
  while (at < text.length) {
    const equals = text.indexOf('=', at);
    if (equals === -1 || parameters.size === MAX_PARAMETERS) {
      return undefined;
    }
    const name = text.slice(at, equals).trim().toLowerCase();
    if (!/^[a-z][a-z0-9_*-]*$/.test(name) || parameters.has(name)) {
      return undefined;
    }
    at = skip(text, equals + 1, ' \t');
    const value = text[at] === '"' ? quoted(text, at + 1) : plain(text, at);
    if (value === undefined) {
      return undefined;
    }
    parameters.set(name, value.text);
    at = skip(text, value.end, ' \t');
    if (at < text.length && text[at] !== ',') {
      return undefined;
    }
    at = skip(text, at, ', \t');
  }
  return parameters;
}

interface Value {
  readonly text: string;
  /** The index behind the value. */
  readonly end: number;
}

function quoted(text: string, start: number): Value | undefined {
  let value = '';
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') {
      return { text: value, end: at + 1 };
    }
    const next = text[at + 1];
    if (character === '\\' && (next === '"' || next === '\\')) {
      value += next;
      at += 1;
    } else {
      value += character;
    }
  }
  return undefined;
}

function plain(text: string, start: number): Value {
  const comma = text.indexOf(',', start);
  const end = comma === -1 ? text.length : comma;
  return { text: text.slice(start, end).trimEnd(), end };
}

function skip(text: string, start: number, characters: string): number {
  let at = start;
  while (at < text.length && characters.includes(text[at] ?? '')) {
    at += 1;
  }
  return at;
}
