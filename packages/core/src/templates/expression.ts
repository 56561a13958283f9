import { invalid } from '../errors.js';
import type { Argument } from './helpers/arguments.js';
import { HELPERS } from './helpers/table.js';
import { compilePath, compileSectionPath, compileShadowed, hasRoot, stateKeyOf } from './lookup.js';
import { COST, UNKNOWN, type Evaluate } from './run.js';
import { splitWords, type Word } from './words.js';

const NAME = /^(?:\.|\.?[\p{L}\p{N}_$@][^\s"'`{}()<>=!|,;\\]*)$/u;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Whether a tag can never mean anything here and so stays in the text, such as `{{#if x}}` or `{{}}`. */
export function staysText(expression: string): boolean {
  const { first, rest } = firstWord(expression);
  if (!NAME.test(first)) {
    return true;
  }
  return rest !== '' && !meansSomething(first);
}

/** Whether a word is a helper or a path from a context root. */
export function meansSomething(word: string): boolean {
  return HELPERS.has(word) || hasRoot(word);
}

/** Compiles the text of a section's tag; see {@link compileExpression}. */
export function compileSectionExpression(expression: string, inSection: boolean): Evaluate {
  return firstWord(expression).rest === '' && !HELPERS.has(expression) && stateKeyOf(expression) === undefined
    ? compileSectionPath(expression, inSection)
    : compileExpression(expression, inSection);
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
 * @throws invalid when a helper is given arguments it cannot take, or a path is given any
 */
export function compileExpression(expression: string, inSection: boolean): Evaluate {
  const key = stateKeyOf(expression);
  if (key !== undefined) {
    return (run) => run.scope.state(key);
  }
  const { first, rest } = firstWord(expression);
  if (HELPERS.has(first)) {
    return compileCall(first, rest, inSection);
  }
  if (rest !== '') {
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
      `template tag {{${shorten(`${name} ${rest}`)}}}: its arguments cannot be read; close every quote`,
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
    const given = words.map((word) => (word.quoted ? JSON.stringify(word.text) : word.text)).join(' ');
    throw invalid(
      `template helper "${name}" got ${words.length} arguments (${shorten(given)}); use {{${helper?.usage ?? name}}}`,
    );
  }
  const call = helper.make(words.map((word) => compileArgument(word, inSection)));
  return (run) => {
    run.spend(COST.call);
    return call(run);
  };
}

function compileArgument(word: Word, inSection: boolean): Argument {
  const { text } = word;
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
  const path = compilePath(text, inSection);
  const call = HELPERS.get(text)?.fewest === 0 ? callHelper(text, [], inSection) : undefined;
  const evaluate: Evaluate = (run) => {
    const value = path(run);
    if (value !== UNKNOWN && (value !== undefined || call === undefined)) {
      return value;
    }
    return call?.(run);
  };
  return { text, constant: false, rooted: hasRoot(text), value: undefined, evaluate };
}

function constantArgument(text: string, value: unknown): Argument {
  return { text, constant: true, rooted: false, value, evaluate: () => value };
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
