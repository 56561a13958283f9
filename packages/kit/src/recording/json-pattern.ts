import { runAtOnce } from '@backlot/core/plugin';
import { redactStringSteps } from './redact-json.js';
import { isSecretName } from './secrets.js';
import { escapeRegex, holdsSecret, type PatternNote } from './value-pattern.js';
import { volatileRule } from './volatile.js';

const DEEPEST = 100;

/**
 * The pattern for a value of JSON in what a recorded mock matches: just this value, whatever the order of its members, but for
 * what in it is secret or another one each time.
 *
 * @param place - what the value is of, such as `body`; notes name places within it by a path behind that
 */
export function jsonPattern(value: unknown, place: string, note: PatternNote): unknown {
  let isExact = true;
  const schema = schemaOf(value, '', '', 0, (at, rule) => {
    isExact = false;
    note(`${place} ${at}`, rule);
  });
  return isExact ? { json: { equals: value } } : { json_schema: schema };
}

/** A text with more secrets is not compared: a pattern with many gaps takes long. */
const MAX_GAPS = 20;

/** The pattern for a text in what a recorded mock matches: just this text, but for the secrets in it. */
export function textPattern(text: string, place: string, note: PatternNote): unknown {
  const redacted = runAtOnce(redactStringSteps(text));
  if (redacted === text) return { equals: text };
  const pieces = redacted.split(/"?REDACTED"?/);
  const regex = `^${pieces.map(escapeRegex).join('.+')}$`;
  note(place, 'secret');
  return pieces.length > MAX_GAPS || !new RegExp(regex, 's').test(text)
    ? { present: true }
    : { regex: `(?s)${regex}` };
}

/** A JSON schema that describes just this value, but for texts and numbers that are secret or volatile. */
function schemaOf(value: unknown, place: string, name: string, depth: number, note: PatternNote): unknown {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  if (text !== undefined && text !== '') {
    if (isSecretName(name) || holdsSecret(text)) {
      note(place, 'secret');
      return true;
    }
    const rule = volatileRule(name, text);
    if (rule === undefined) return { const: value };
    note(place, rule.rule);
    return typeof value === 'string' ? { type: 'string', pattern: rule.regex } : { type: 'number' };
  }
  if (typeof value !== 'object' || value === null) return { const: value };
  if (isSecretName(name) || depth > DEEPEST) {
    note(place, depth > DEEPEST ? 'it is too deep and not compared' : 'secret');
    return true;
  }
  const inner = (member: unknown, step: string): unknown =>
    schemaOf(member, `${place}/${step}`, step, depth + 1, note);
  if (Array.isArray(value)) {
    if (value.length === 0) return { type: 'array', maxItems: 0 };
    return {
      type: 'array',
      prefixItems: value.map((member, index) => inner(member, String(index))),
      items: false,
      minItems: value.length,
    };
  }
  const members = Object.entries(value);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([step, member]) => [step, inner(member, step)])),
    required: members.map(([step]) => step),
    additionalProperties: false,
  };
}

/** A value whose JSON does not depend on the order of members. */
export function canonicalJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonicalJson(member)]),
  );
}
