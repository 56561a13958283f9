/** One word of a tag. */
export interface Word {
  /** Its text, without quotes and escapes. */
  readonly text: string;
  readonly quoted: boolean;
  /** The words between two parentheses: a call of a helper, whose value the argument is. */
  readonly call?: readonly Word[];
}

/**
 * A quoted text: double quotes, single quotes, back quotes, or the escaped double quotes that a template gets when
 * it stands inside a JSON string. It stays on one line.
 */
export const QUOTED = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`\n]*)`|\\"((?:(?!\\")[^\n])*)\\"/y;

const BARE = /[^\s"'`{}()]+/y;
const SPACE = /\s*/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** How deep calls may stand in each other. */
const MAX_CALLS = 20;

/**
 * Splits a tag's text into words; `undefined` when a quote or a parenthesis is not closed, two words have no space between
 * them, or calls stand in each other more than 20 deep.
 */
export function splitWords(text: string): Word[] | undefined {
  let words: Word[] = [];
  const outside: Word[][] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const mark = text.charAt(at);
    let end = at + 1;
    if (mark === '(') {
      if (outside.length === MAX_CALLS) return undefined;
      outside.push(words);
      words = [];
      at = skipSpace(text, end);
      continue;
    }
    if (mark === ')') {
      const around = outside.pop();
      if (around === undefined) return undefined;
      around.push({ text: '', quoted: false, call: words });
      words = around;
    } else {
      const quoted = matchAt(QUOTED, text, at);
      const found = quoted ?? matchAt(BARE, text, at);
      if (found === null) return undefined;
      words.push({ text: quoted === null ? found[0] : unquote(quoted), quoted: quoted !== null });
      end = at + found[0].length;
    }
    at = skipSpace(text, end);
    if (at === end && at < text.length && text.charAt(at) !== ')') return undefined;
  }
  return outside.length === 0 ? words : undefined;
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
