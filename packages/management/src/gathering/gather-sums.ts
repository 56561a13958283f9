import type { RouteAnswer } from '@backlot/core/plugin';
import { askAll } from './ask-all.js';
import { inTurn } from './budget.js';
import { sumOf } from './gather-list.js';
import type { Item } from './gathering.js';
import { findNamed } from './named.js';
import type { Question, Target } from './target.js';

/** The fields of bodies that name one thing of one replica. */
const NAMES = ['id', 'conn_id'];

/** Lets all replicas do the same and adds up their numbers; one alone where the body names what it has. */
export async function gatherSums(
  question: Question,
  fields: readonly string[],
  targets: readonly Target[],
): Promise<RouteAnswer> {
  const body = (question.body ?? {}) as Item;
  const name = NAMES.find((field) => typeof body[field] === 'string' && body[field] !== '');
  const found = name === undefined ? undefined : findNamed(String(body[name]), targets);
  const asked =
    found === undefined || name === undefined
      ? question
      : { ...question, body: { ...body, [name]: found.id } };
  return await inTurn(async (budget) => {
    const answered = await askAll(found === undefined ? targets : [found.target], () => asked, budget);
    const isPart = answered.some((each) => (each.body as Item)['complete'] === false);
    const sums = fields.map((field) => [field, sumOf(answered, field)] as const);
    return {
      body: {
        ...(answered[0]?.body as Item),
        ...Object.fromEntries(sums),
        ...(isPart ? { complete: false } : {}),
      },
    };
  });
}
