import { invalid } from '../errors.js';
import type { Argument } from './helpers/arguments.js';
import { HELPERS } from './helpers/table.js';
import { compilePath, compileSectionPath, compileShadowed, hasRoot, stateKeyOf } from './lookup.js';
import { COST, UNKNOWN, type Evaluate } from './run.js';
import { refuseMisspelt, refuseOtherSection, unknownHelper } from './unknown-names.js';
import { splitWords, type Word } from './words.js';

const NAME = /^(?:\.|\.?[\p{L}\p{N}_$@][^\s"'`{}()<>=!|,;\\]*)$/u;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Whether a tag is no tag here and stays in the text, such as `{{}}`, `{{ a + b }}` or `{{color: red}}`. */
export function staysText(expression: string): boolean {
  const { first, rest } = firstWord(expression);
  if (!NAME.test(first)) {
    return true;
  }
  return rest !== '' && !meansSomething(first) && (first.endsWith(':') || !looksLikeArguments(rest));
}

/** Whether what follows a first word could be arguments: quoted texts, numbers, paths and calls, and nothing else. */
function looksLikeArguments(rest: string): boolean {
  const isArgument = ({ text, quoted, call }: Word): boolean =>
    call === undefined ? quoted || NAME.test(text) || NUMBER.test(text) : call.every(isArgument);
  return splitWords(rest)?.every(isArgument) === true;
}

/** Whether a word is a helper or a path from a context root. */
export function meansSomething(word: string): boolean {
  return HELPERS.has(word) || hasRoot(word);
}

/** What a section does with the value of its tag. */
export interface SectionExpression {
  readonly evaluate: Evaluate;
  /** Whether the value only decides, so that names inside mean what they mean outside. */
  readonly isCondition: boolean;
}

/** Compiles the text of a section's tag; see {@link compileExpression}. */
export function compileSectionExpression(expression: string, inSection: boolean): SectionExpression {
  const { first, rest } = firstWord(expression);
  if (rest === '' && !inSection) {
    refuseOtherSection(first);
  }
  const isCondition = HELPERS.get(first)?.isCondition === true && (rest !== '' || !inSection);
  const evaluate =
    rest === '' && !HELPERS.has(first) && stateKeyOf(expression) === undefined
      ? compileSectionPath(expression, inSection)
      : compileExpression(expression, inSection, '#');
  return { evaluate, isCondition };
}

/** The first word of a tag and what follows it. */
export function firstWord(expression: string): { first: string; rest: string } {
  const first = /^\S*/.exec(expression)?.[0] ?? '';
  return { first, rest: expression.slice(first.length).trim() };
}

/**
 * Compiles the text of a tag: a path, or a helper with arguments.
 *
 * @param inSection - whether a section is around it
 * @param mark - what stands before it in a section's tag
 * @throws invalid when a helper is given arguments it cannot take, a path is given any, or the first word is neither
 */
export function compileExpression(expression: string, inSection: boolean, mark = ''): Evaluate {
  const key = stateKeyOf(expression);
  if (key !== undefined) {
    return (run) => run.scope.state(key);
  }
  const { first, rest } = firstWord(expression);
  if (HELPERS.has(first)) {
    return compileCall(first, rest, inSection);
  }
  if (rest !== '') {
    if (!hasRoot(first)) {
      throw unknownHelper(first, mark + shorten(expression));
    }
    throw invalid(
      `template tag {{${shorten(expression)}}}: ${first} is a value and takes no arguments; a helper comes first, as in {{upper ${first}}}`,
    );
  }
  return compilePath(first, inSection);
}

function compileCall(name: string, rest: string, inSection: boolean): Evaluate {
  const words = splitWords(rest);
  if (words === undefined) {
    throw invalid(
      `template tag {{${shorten(`${name} ${rest}`)}}}: its arguments cannot be read; close every quote and parenthesis`,
    );
  }
  if (words.length > 0 || !inSection) {
    return callHelper(name, words, inSection);
  }
  // A section's own name comes first: {{#orders}}{{date}}{{/orders}} is the date of the order.
  const takesNone = HELPERS.get(name)?.fewest === 0;
  return compileShadowed(name, takesNone ? callHelper(name, words, inSection) : () => undefined);
}

function callHelper(name: string, words: readonly Word[], inSection: boolean): Evaluate {
  const helper = HELPERS.get(name);
  if (helper === undefined || words.length < helper.fewest || words.length > helper.most) {
    throw invalid(
      `template helper "${name}" got ${words.length} arguments (${shorten(words.map(written).join(' '))}); use {{${helper?.usage ?? name}}}`,
    );
  }
  if (helper.isCondition === true && !inSection) {
    for (const word of words) refuseUnknown(word);
  }
  const call = helper.make(words.map((word) => compileArgument(word, inSection)));
  return (run) => {
    run.spend(COST.call);
    return call(run);
  };
}

/** A condition on a name that means nothing is never true. */
function refuseUnknown({ text, quoted, call }: Word): void {
  if (quoted || call !== undefined || NUMBER.test(text) || CONSTANTS.has(text) || hasRoot(text)) return;
  if (!NAME.test(text) || HELPERS.get(text)?.fewest === 0) return;
  refuseMisspelt(text);
  throw invalid(
    `template argument ${shorten(text)} is not known; write "${shorten(text)}" for the text, or where the value is found, as in request.body.${shorten(text)}`,
  );
}

function written(word: Word): string {
  if (word.call !== undefined) return `(${word.call.map(written).join(' ')})`;
  return word.quoted ? JSON.stringify(word.text) : word.text;
}

function compileArgument(word: Word, inSection: boolean): Argument {
  const { text } = word;
  if (word.call !== undefined) {
    return nestedCall(word.call, inSection);
  }
  if (word.quoted) {
    return constantArgument(text, text);
  }
  if (NUMBER.test(text)) {
    return constantArgument(text, Number(text));
  }
  if (CONSTANTS.has(text)) {
    return constantArgument(text, CONSTANTS.get(text));
  }
  if (!NAME.test(text)) {
    throw invalid(`template argument ${shorten(text)} is neither a quoted text, a number nor a path`);
  }
  if (!inSection) {
    refuseMisspelt(text);
  }
  const path = compilePath(text, inSection);
  const call = HELPERS.get(text)?.fewest === 0 ? callHelper(text, [], inSection) : undefined;
  const evaluate: Evaluate = (run) => {
    const value = path(run);
    if (value !== UNKNOWN && (value !== undefined || call === undefined)) {
      return value;
    }
    return call?.(run);
  };
  return { text, constant: false, rooted: hasRoot(text) || text.startsWith('@'), value: undefined, evaluate };
}

function nestedCall(words: readonly Word[], inSection: boolean): Argument {
  const [name, ...rest] = words;
  const text = `(${words.map(written).join(' ')})`;
  if (name === undefined || name.quoted || name.call !== undefined || !HELPERS.has(name.text)) {
    throw unknownHelper(name?.quoted === false ? name.text : '', shorten(text));
  }
  return {
    text,
    constant: false,
    rooted: true,
    value: undefined,
    evaluate: callHelper(name.text, rest, inSection),
  };
}

function constantArgument(text: string, value: unknown): Argument {
  return { text, constant: true, rooted: false, value, evaluate: () => value };
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
