import { invalid } from '../../errors.js';
import { COST, type Evaluate, type Run } from '../run.js';
import { toText } from '../text-forms.js';

/** One argument of a helper. */
export interface Argument {
  /** As it was written, without quotes. */
  readonly text: string;
  /** Whether its value is known when the template is compiled. */
  readonly constant: boolean;
  /** Whether it is a path that starts at a context root. */
  readonly rooted: boolean;
  /** The value of a constant. */
  readonly value: unknown;
  readonly evaluate: Evaluate;
}

/** A function that templates can call. */
export interface Helper {
  /** How it is called, for messages: `rand_int <min> <max>`. */
  readonly usage: string;
  /** The least number of arguments. */
  readonly fewest: number;
  /** The greatest number of arguments. */
  readonly most: number;
  /** Whether a section that it begins only decides, and goes into nothing. */
  readonly isCondition?: true;
  /**
   * Prepares a call.
   *
   * @throws invalid when a constant argument is of the wrong kind
   */
  make(args: readonly Argument[]): Evaluate;
}

/** A value that is either known when the template is compiled or computed for each message. */
export interface Prepared<T> {
  readonly constant: T | undefined;
  get(run: Run): T;
}

/** The text of an argument's value; making it counts as work. */
export function textOf(argument: Argument | undefined): (run: Run) => string {
  if (argument === undefined) {
    return () => '';
  }
  return (run) => {
    const value = argument.evaluate(run);
    const text = toText(value);
    run.spend(typeof value === 'string' ? text.length : text.length * COST.encoded);
    return text;
  };
}

const NUMBER = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

/** The number that a text is; `NaN` for every other text. */
export function numberIn(text: string): number {
  return text.length <= 400 && NUMBER.test(text) ? Number(text) : Number.NaN;
}

/** An argument that is usually a plain word, such as a kind or a layout: a bare word means itself. */
export function wordOf(argument: Argument | undefined): Prepared<string> {
  if (argument === undefined || argument.constant || !argument.rooted) {
    const constant = argument?.text ?? '';
    return { constant, get: () => constant };
  }
  return { constant: undefined, get: textOf(argument) };
}

/**
 * A number; `NaN` when a computed value is none.
 *
 * @throws invalid when a constant is no number, or not from `min` to `max`
 */
export function numberOf(
  argument: Argument | undefined,
  rule: { helper: string; name: string; whole: boolean; min: number; max: number; otherwise: number },
): Prepared<number> {
  if (argument === undefined) {
    return { constant: rule.otherwise, get: () => rule.otherwise };
  }
  if (!argument.constant) {
    const read = textOf(argument);
    const limit = (value: number): number => Math.min(Math.max(value, rule.min), rule.max);
    return {
      constant: undefined,
      get(run) {
        const text = read(run).trim();
        const value = text === '' ? Number.NaN : Number(text);
        return limit(rule.whole ? Math.trunc(value) : value);
      },
    };
  }
  const value = typeof argument.value === 'string' ? Number(argument.value.trim() || 'NaN') : argument.value;
  if (typeof value !== 'number' || !Number.isFinite(value) || (rule.whole && !Number.isInteger(value))) {
    throw invalid(
      `template helper "${rule.helper}": ${rule.name} is ${JSON.stringify(argument.text)}; it must be a ${rule.whole ? 'whole ' : ''}number`,
    );
  }
  if (value < rule.min || value > rule.max) {
    throw invalid(
      `template helper "${rule.helper}": ${rule.name} is ${value}; it must be from ${rule.min} to ${rule.max}`,
    );
  }
  return { constant: value, get: () => value };
}

/** Checks a choice when it is known, and computes with it later; an unknown choice of a message gives nothing. */
export function chosen<T>(
  argument: Argument | undefined,
  choices: ReadonlyMap<string, T>,
  complain: (given: string) => Error,
): (run: Run) => T | undefined {
  const word = wordOf(argument);
  if (word.constant === undefined) {
    return (run) => choices.get(word.get(run));
  }
  const choice = choices.get(word.constant);
  if (choice === undefined) {
    throw complain(word.constant);
  }
  return () => choice;
}
