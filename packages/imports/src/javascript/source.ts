import { invalid } from '@backlot/core/plugin';
import { readNames, type Scope } from './scope.js';
import { tokenize, type Token } from './tokens.js';

/** Characters of a source that is read. */
const MOST_CHARACTERS = 4_000_000;

/** A source that has been taken apart. */
export interface Source {
  readonly tokens: readonly Token[];
  readonly scope: Scope;
}

/** Takes the source of a file apart; in Markdown that is what stands in its blocks of code. */
export function* readSource(text: string, name: string): Generator<undefined, Source, undefined> {
  if (text.length > MOST_CHARACTERS)
    throw invalid(
      `a source of more than ${MOST_CHARACTERS} characters is not read; this one has ${text.length}`,
    );
  const tokens = yield* tokenize(/\.(md|mdx|markdown)$/i.test(name) ? codeOf(text) : text);
  return { tokens, scope: yield* readNames(tokens) };
}

/** The blocks of code of Markdown, on the lines on which they stand. */
function codeOf(text: string): string {
  let fence = '';
  return text
    .split(/\r?\n/)
    .map((line) => {
      const mark = /^\s*(```+|~~~+)\s*(\w*)/.exec(line);
      if (mark === null) return fence === 'code' ? line : '';
      fence =
        fence === ''
          ? /^(js|jsx|ts|tsx|javascript|typescript|mjs)$/i.test(mark[2] ?? '')
            ? 'code'
            : 'other'
          : '';
      return '';
    })
    .join('\n');
}
