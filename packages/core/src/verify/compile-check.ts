import type { Check } from '../contract/verification.js';
import { invalid, type Problem } from '../errors.js';
import type { KindHost } from '../host/kind-host.js';
import { SPAN } from '../contract/span.js';
import { parseDuration } from '../time/duration.js';
import { pointTo } from '../validation/pointer.js';
import { suggest } from '../validation/suggest.js';
import { createValidator } from '../validation/validator.js';
import { CheckSchema } from './check-schema.js';
import { compileExpectation, type CompiledExpectation } from './compile-expectation.js';

/** What is longer is cut, as for all waits. */
const MAX_WAIT = 5 * 60_000;

/** A check that is ready to look at messages. */
export interface CompiledCheck {
  readonly expectations: readonly CompiledExpectation[];
  readonly isStrict: boolean;
  readonly nothingElse: ReadonlySet<string>;
  /** The kinds whose messages matter. */
  readonly kinds: ReadonlySet<string>;
  /** Milliseconds of real time. */
  readonly within: number;
  readonly stays: number;
  readonly after: string | undefined;
}

/** @throws BacklotError `invalid` with every problem */
export async function compileCheck(given: unknown, kinds: readonly KindHost[]): Promise<CompiledCheck> {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const names = [...byName.keys()];
  const problems = createValidator(CheckSchema).check(given);
  if (problems.length > 0) throw refuse(problems);
  const check = given as Check;
  const expectations: CompiledExpectation[] = [];
  for (const [place, expectation] of check.expect.entries()) {
    const at = pointTo('/expect', place);
    for (const name of Object.keys(expectation)) await byName.get(name)?.load();
    const compiled = compileExpectation(expectation, at, (name) => byName.get(name), names, problems);
    if (compiled !== undefined) expectations.push(compiled);
  }
  for (const [place, name] of (check.nothing_else ?? []).entries()) {
    if (name === SPAN || byName.has(name)) continue;
    const meant = suggest(name, names);
    problems.push({
      path: pointTo('/nothing_else', place),
      message: `"${name}" is no protocol that is installed${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    });
  }
  checkNames(check, problems);
  const duration = (text: string | undefined, path: string): number => {
    try {
      return text === undefined ? 0 : Math.min(parseDuration(text), MAX_WAIT);
    } catch (thrown) {
      problems.push({ path, message: (thrown as Error).message });
      return 0;
    }
  };
  const within = duration(check.within, '/within');
  const stays = duration(check.stays, '/stays');
  if (problems.length > 0) throw refuse(problems);
  const nothingElse = new Set(check.nothing_else);
  return {
    expectations,
    isStrict: check.order === 'strict',
    nothingElse,
    kinds: new Set([...nothingElse, ...expectations.map(({ protocol }) => protocol)]),
    within,
    stays,
    after: check.after,
  };
}

/** Names are given once, and those that are referred to are there. */
function checkNames(check: Check, problems: Problem[]): void {
  const names = new Set<string>();
  for (const [place, { name }] of check.expect.entries()) {
    if (name === undefined) continue;
    if (names.has(name))
      problems.push({
        path: `/expect/${place}/name`,
        message: `"${name}" is given twice; names must differ`,
      });
    names.add(name);
  }
  const known = names.size === 0 ? 'none has a name' : `there are ${[...names].join(', ')}`;
  for (const [place, { before, apart }] of check.expect.entries()) {
    const refer = (name: string | undefined, path: string): void => {
      if (name === undefined || names.has(name)) return;
      problems.push({
        path: `/expect/${place}/${path}`,
        message: `no expectation is called "${name}"; ${known}`,
      });
    };
    refer(before, 'before');
    refer(apart?.from, 'apart/from');
  }
}

function refuse(problems: readonly Problem[]): Error {
  const [first] = problems;
  return invalid(`${first?.path ?? ''}: ${first?.message ?? 'is not valid'}`, problems);
}
