import { createValidator } from '@backlot/core';
import { invalid, type Problem, type Route, type TSchema } from '@backlot/core/plugin';

type Check = (value: unknown) => readonly Problem[];

// Schemas live as long as their routes; each is compiled when it is first needed.
const checks = new WeakMap<TSchema, Check>();

/**
 * Picks the declared query parameters and checks them.
 *
 * @throws BacklotError `invalid`
 */
export function checkQuery(
  route: Route<never>,
  given: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const query = Object.create(null) as Record<string, string>;
  for (const [name, schema] of Object.entries(route.query ?? {})) {
    const text = given.get(name);
    if (text === undefined) continue;
    const [problem] = check(schema, readAs(schema, text));
    if (problem !== undefined) {
      throw invalid(`query parameter ${name} ${problem.message}`, [
        { path: `/${name}`, message: problem.message },
      ]);
    }
    query[name] = text;
  }
  return query;
}

/** @throws BacklotError `invalid` */
export function checkParams(route: Route<never>, params: Readonly<Record<string, string>>): void {
  if (route.params === undefined) return;
  for (const [name, schema] of Object.entries(route.params)) {
    const text = params[name] ?? '';
    const [problem] = check(schema, readAs(schema, text));
    if (problem !== undefined)
      throw invalid(`${name} ${problem.message}`, [{ path: `/${name}`, message: problem.message }]);
  }
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

/** A text of the path or query as the type that the schema wants; the text itself where it does not look like one. */
function readAs(schema: TSchema, text: string): unknown {
  const { type } = schema as { type?: unknown };
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  return text;
}
