/** A field value with parameters, as Content-Type and Content-Disposition have it (RFC 2045, section 5.1). */
export interface Parameterised {
  readonly value: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

const TOKEN = /[^\s"(),:;<=>?@[\\\]]+(?:[/=][^\s"(),:;<>@[\\\]]*)?/y;
const NAME = /[^\s"(),:;<=>@[\\\]]+/y;
const VALUE = /[^\s";]+/y;
const QUOTED = /"((?:[^"\\]|\\[^])*)"?/y;
const BLANK = /\s*/y;
/** Parameters beyond these are passed over. */
const MAX_PARAMETERS = 1000;

/** Reads a value such as `text/plain; charset="utf-8"`; what cannot be read is left out. */
export function parseParameterised(field: string): Parameterised {
  const text = withoutComments(field);
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at += found[0].length;
    return found;
  };
  take(BLANK);
  const value = take(TOKEN)?.[0] ?? '';
  const parameters: [string, string][] = [];
  while (parameters.length < MAX_PARAMETERS) {
    const semicolon = text.indexOf(';', at);
    if (semicolon < 0) break;
    at = semicolon + 1;
    take(BLANK);
    const name = take(NAME)?.[0];
    take(BLANK);
    if (name === undefined || text[at] !== '=') continue;
    at += 1;
    take(BLANK);
    const quoted = take(QUOTED);
    const content = quoted === null ? (take(VALUE)?.[0] ?? '') : unescapeQuoted(quoted[1] ?? '');
    parameters.push([name, content]);
  }
  return { value, parameters };
}

/** The inside of a quoted string without its backslashes. */
export function unescapeQuoted(text: string): string {
  return text.replace(/\\([^])/g, '$1');
}

/** The text without comments in parentheses; those in quoted strings stay. */
export function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  let kept = '';
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\') {
      if (depth === 0) kept += text.slice(at, at + 2);
      at += 1;
    } else if (character === '"' && depth === 0) {
      isQuoted = !isQuoted;
      kept += character;
    } else if (character === '(' && !isQuoted) depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (depth === 0) kept += character;
  }
  return kept;
}
