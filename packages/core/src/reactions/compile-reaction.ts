import type { StoredReaction } from '../contract/reaction.js';
import { invalid, type Problem } from '../errors.js';
import type { KindHost } from '../host/kind-host.js';
import type { HostParts } from '../mocks/compile-tools.js';
import { newId } from '../random/new-id.js';
import { frozenCopy } from '../validation/freeze.js';
import { show } from '../validation/messages.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { createValidator } from '../validation/validator.js';
import { compileAction, type CheckIncident, type CompiledAction } from './compile-action.js';
import { compileTrigger } from './compile-trigger.js';
import { Reaction } from './reaction.js';
import { ReactionSchema } from './reaction-schema.js';

/**
 * Checks a reaction and makes it ready.
 *
 * @param id - the id that it has in any case
 * @throws BacklotError `invalid` with every problem
 */
export function compileReaction(
  given: unknown,
  id: string | undefined,
  kinds: readonly KindHost[],
  checkIncident: CheckIncident,
  host: HostParts,
): Reaction {
  if (!isObject(given)) throw invalid(`a reaction must be an object, got ${show(given)}`);
  const { runs: _runs, last_error: _error, ...rest } = given;
  const problems: Problem[] = createValidator(ReactionSchema).check(rest);
  refuse(problems);
  const stored = frozenCopy({ ...rest, id: id ?? rest['id'] ?? `reaction-${newId()}` }) as StoredReaction;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const find = (name: string): KindHost | undefined => byName.get(name);
  const names = [...byName.keys()];
  const trigger = compileTrigger(stored.on, find, names, problems);
  const actions: CompiledAction[] = [];
  for (const [index, each] of stored.do.entries()) {
    const { action, tools } = compileAction(
      each,
      pointTo('/do', index),
      { find, names, checkIncident },
      host,
    );
    problems.push(...tools.problems);
    if (action !== undefined) actions.push(action);
  }
  refuse(problems);
  if (trigger === undefined) throw invalid('the reaction has no trigger');
  return new Reaction(stored, trigger, actions);
}

/** The kinds that a reaction names, whose declarations have to be there before it is compiled. */
export function kindsIn(given: unknown, kinds: readonly KindHost[]): readonly KindHost[] {
  if (!isObject(given)) return [];
  const actions = Array.isArray(given['do']) ? (given['do'] as unknown[]) : [];
  const names = new Set(
    [given['on'], ...actions].flatMap((part) => (isObject(part) ? Object.keys(part) : [])),
  );
  return kinds.filter(({ kind }) => names.has(kind));
}

function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first !== undefined) throw invalid(`reaction ${first.path}: ${first.message}`, problems);
}
