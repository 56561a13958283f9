import type { RouteAnswer } from '@backlot/core/plugin';
import { inTurn } from './budget.js';
import type { Item } from './gathering.js';
import { findNamed, named } from './named.js';
import type { Question, Target } from './target.js';

/** Asks the replica that has what an id names. */
export async function gatherOne(
  question: Question,
  param: string,
  targets: readonly Target[],
): Promise<RouteAnswer> {
  const { id, target } = findNamed(question.params[param] ?? '', targets);
  const asked = { ...question, params: { ...question.params, [param]: id } };
  const answer = await inTurn((budget) => target.pass(asked, budget));
  const hasId = 'body' in answer && typeof (answer.body as Item | null)?.['id'] === 'string';
  return hasId ? { ...answer, body: named(answer.body, target, ['log_id']) } : answer;
}
