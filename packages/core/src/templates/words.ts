/** One word of a tag. */
export interface Word {
  /** Its text, without quotes and escapes. */
  readonly text: string;
  readonly quoted: boolean;
}

/**
 * A quoted text: double quotes, single quotes, back quotes, or the escaped double quotes that a template gets when
 * it stands inside a JSON string. It stays on one line.
 */
export const QUOTED = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`\n]*)`|\\"((?:(?!\\")[^\n])*)\\"/y;

const BARE = /[^\s"'`{}]+/y;
const SPACE = /\s*/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Splits a tag's text into words; `undefined` when a quote is not closed or two words have no space between them. */
export function splitWords(text: string): Word[] | undefined {
  const words: Word[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const quoted = matchAt(QUOTED, text, at);
    const found = quoted ?? matchAt(BARE, text, at);
    if (found === null) {
      return undefined;
    }
    words.push({ text: quoted === null ? found[0] : unquote(quoted), quoted: quoted !== null });
    const end = at + found[0].length;
    at = skipSpace(text, end);
    if (at === end && at < text.length) {
      return undefined;
    }
  }
  return words;
}

/** What a sticky expression finds at a place. */
export function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function skipSpace(text: string, at: number): number {
  return at + (matchAt(SPACE, text, at)?.[0].length ?? 0);
}

function unquote(found: RegExpExecArray): string {
  const [, double, single, back, escaped] = found;
  if (back !== undefined) {
    return back;
  }
  const inside = double ?? single ?? escaped ?? '';
  return inside.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) =>
    code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES.get(code) ?? code),
  );
}
