import { BacklotError } from '@backlot/core/plugin';
import { invalidAt } from '../routes/management-route.js';
import type { Item } from './gathering.js';
import type { Question, Target } from './target.js';

/** Names what one replica has among what all have. */
export function named(item: unknown, { name }: Pick<Target, 'name'>, ids: readonly string[] = []): Item {
  if (typeof item !== 'object' || item === null) return { value: item, replica: name };
  const shown: Record<string, unknown> = { ...item };
  for (const field of ['id', ...ids]) {
    const id = shown[field];
    if (typeof id === 'string') shown[field] = `${id}@${name}`;
  }
  shown['replica'] = name;
  return shown;
}

/**
 * Finds what an id such as `57@one` names.
 *
 * @throws BacklotError `invalid` for an id without a replica, `not_found` for a replica that is not there
 */
export function findNamed(
  id: string,
  targets: readonly Target[],
): { readonly id: string; readonly target: Target } {
  const at = id.lastIndexOf('@');
  const names = targets.map(({ name }) => name).join(', ');
  if (at <= 0)
    throw invalidAt(
      '/id',
      `each replica has ids of its own: give the one that a list shows, such as ${JSON.stringify(`${id.slice(0, 100)}@${targets[0]?.name ?? ''}`)}, or ask one with consistency=local`,
    );
  const name = id.slice(at + 1);
  const target = targets.find((each) => each.name === name);
  if (target !== undefined) return { id: id.slice(0, at), target };
  throw new BacklotError(
    'not_found',
    `there is no replica ${JSON.stringify(name.slice(0, 100))}; there are ${names}`,
  );
}

/** Whom a question is for: one whose filter `id` is such as `57@one` is for this replica alone, by the id that it has there. */
export function narrowed(
  question: Question,
  targets: readonly Target[],
): { readonly question: Question; readonly targets: readonly Target[] } {
  const { id } = question.query;
  const target = targets.find(({ name }) => id?.endsWith(`@${name}`) === true);
  if (id === undefined || target === undefined) return { question, targets };
  const own = id.slice(0, -target.name.length - 1);
  return { question: { ...question, query: { ...question.query, id: own } }, targets: [target] };
}
