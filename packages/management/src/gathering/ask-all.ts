import { BacklotError } from '@backlot/core/plugin';
import type { Budget } from './budget.js';
import { errorOf, type JsonAnswer, type Question, type Target } from './target.js';

/** What one replica has answered. */
export interface Answered {
  readonly target: Target;
  readonly body: unknown;
}

/**
 * Asks all replicas at the same time.
 *
 * @param questionFor - what each is asked
 * @returns the answers in their order; those that have no such thing are left out where others have
 * @throws BacklotError what one answers, where that is no answer to add to the others
 */
export async function askAll(
  targets: readonly Target[],
  questionFor: (target: Target) => Question,
  budget: Budget,
): Promise<readonly Answered[]> {
  const answers = await Promise.all(
    targets.map(async (target) => ({ target, answer: await target.ask(questionFor(target), budget) })),
  );
  const good = answers.filter(({ answer }) => answer.status < 300);
  for (const { target, answer } of answers) {
    if (answer.status < 300 || (answer.status === 404 && good.length > 0)) continue;
    throw refused(target, answer);
  }
  return good.map(({ target, answer }) => ({ target, body: answer.body }));
}

/** The error that a replica has answered; who it was is said where others may have answered otherwise. */
export function refused({ name }: Target, answer: JsonAnswer): BacklotError {
  const error = errorOf(answer);
  if (error.status < 500) return error;
  return new BacklotError(error.code, `the replica "${name}" answers: ${error.message}`, {
    ...(error.fields === undefined ? {} : { fields: error.fields }),
  });
}
