import { runAtOnce } from '@backlot/core/plugin';
import { redactStringSteps } from './redact-json.js';
import { isSecretName } from './secrets.js';
import { volatileRule } from './volatile.js';

/** Notes what of a message is not compared as it is, and by which rule. */
export type PatternNote = (place: string, rule: string) => void;

/** Whether a text is a secret by its shape, or has one in it. */
export function holdsSecret(text: string): boolean {
  return runAtOnce(redactStringSteps(text)) !== text;
}

/** A text as the part of a regular expression that is just it. */
export function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** The pattern that is just this text. */
export function exactPattern(text: string): unknown {
  return text === '' || /[*\\]|^re:/.test(text) ? { equals: text } : text;
}

/**
 * The pattern for a value in what a recorded mock matches: just this value, or what its rule says.
 *
 * @param name - of the field, parameter or argument that has it
 */
export function patternOf(place: string, name: string, value: string, note: PatternNote): unknown {
  if (isSecretName(name) || holdsSecret(value)) {
    note(place, 'secret');
    return { present: true };
  }
  const rule = volatileRule(name, value);
  if (rule === undefined) return exactPattern(value);
  note(place, rule.rule);
  return { regex: rule.regex };
}

/** A text as a template that gives just this text. */
export function literal(text: string): string {
  return text.includes('{{') ? text.replaceAll('{{', '{{raw "{{"}}') : text;
}

/** A value of templates that give just this value. */
export function literalJson(value: unknown): unknown {
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return value.map(literalJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, literalJson(member)]));
}
