import { createValidator } from '@backlot/core';
import { invalid, type Problem, type TSchema } from '@backlot/core/plugin';

type Check = (value: unknown) => readonly Problem[];

// Schemas live as long as their routes; each is compiled when it is first needed.
const checks = new WeakMap<TSchema, Check>();

/** What is wrong with a text of the path or query, which is read as the type that the schema wants. */
export function problemsOfText(schema: TSchema, text: string): readonly Problem[] {
  return check(schema, readAs(schema, text));
}

/** @throws BacklotError `invalid` with a problem per field */
export function checkBody(schema: TSchema, body: unknown): void {
  const problems = check(schema, body);
  const [first] = problems;
  if (first === undefined) return;
  const where = first.path === '' ? '' : ` ${first.path}`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw invalid(`body${where}: ${first.message}${more}`, problems);
}

function check(schema: TSchema, value: unknown): readonly Problem[] {
  let known = checks.get(schema);
  if (known === undefined) {
    const validator = createValidator(schema);
    known = (candidate) => validator.check(candidate);
    checks.set(schema, known);
  }
  return known(value);
}

/** The text itself where it does not look like the type. */
function readAs(schema: TSchema, text: string): unknown {
  const { type } = schema as { type?: unknown };
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  return text;
}
