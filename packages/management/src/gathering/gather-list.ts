import { runInSlices, type RouteAnswer } from '@backlot/core/plugin';
import { askAll, type Answered } from './ask-all.js';
import { inTurn } from './budget.js';
import type { GatheredList, Item } from './gathering.js';
import { mergeByTime, type Part } from './merge.js';
import { named } from './named.js';
import { Places } from './places.js';
import type { Question, Target } from './target.js';

/** A gathered list, and the place of a reader of it. */
export interface GatheredAnswer {
  readonly answer: RouteAnswer;
  /** What `after` is for what comes next. */
  readonly after: string;
}

/**
 * Makes one list of those of all replicas, by time.
 *
 * @throws BacklotError `unavailable` that names a replica that does not answer
 */
export async function gatherList(
  question: Question,
  list: GatheredList,
  targets: readonly Target[],
): Promise<GatheredAnswer> {
  const { after, ...query } = question.query;
  const places = after === undefined ? Places.none() : Places.read(after, list.start !== undefined);
  const questionFor = (target: Target): Question => {
    const place = places.of(target) ?? (after === undefined ? undefined : list.start);
    return { ...question, query: { ...query, ...(place === undefined ? {} : { after: place }) } };
  };
  return await inTurn(async (budget) => {
    const answered = await askAll(targets, questionFor, budget);
    const parts = answered.map((each) => partOf(each, list));
    const limit = question.query['limit'] ?? (list.isNewest === true ? '500' : undefined);
    const isNewest = list.isNewest === true && after === undefined;
    const merged = await runInSlices(
      mergeByTime(parts, {
        time: list.time,
        limit: limit === undefined ? Infinity : Number(limit),
        isNewest,
      }),
      question.signal,
    );
    if (isNewest) for (const { target, items } of parts) move(places, target, items.at(-1));
    else for (const { target, item } of merged) move(places, target, item);
    const shown = merged.map(({ target, item }) => named(item, target, list.ids));
    const items = list.arrange?.(shown, question.query) ?? shown;
    return { answer: { body: whole(items, answered, list) }, after: places.write() };
  });
}

function partOf({ target, body }: Answered, { within }: GatheredList): Part {
  const found = within === undefined ? body : (body as Item)[within.name];
  return { target, items: Array.isArray(found) ? (found as readonly Item[]) : [] };
}

function move(places: Places, target: Target, item: Item | undefined): void {
  if (typeof item?.['id'] === 'string') places.move(target, item['id']);
}

function whole(items: readonly Item[], answered: readonly Answered[], { within }: GatheredList): unknown {
  if (within === undefined) return items;
  const first = (answered[0]?.body ?? {}) as Item;
  const sums = within.sums.map((field) => [field, sumOf(answered, field)] as const);
  return { ...first, ...Object.fromEntries(sums), [within.name]: items };
}

/** A number of all replicas together. */
export function sumOf(answered: readonly Answered[], field: string): number {
  return answered.reduce((sum, { body }) => sum + Number((body as Item)[field] ?? 0), 0);
}
