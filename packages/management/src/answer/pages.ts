import {
  BacklotError,
  Type,
  invalid,
  runInSlices,
  type ListAnswer,
  type PagesDeclaration,
  type TSchema,
} from '@backlot/core/plugin';
import { DEFAULT_MAX_TEXT, cutTexts } from './cut-texts.js';

/** The number of items of a page, as a query parameter. */
export const LimitSchema = Type.Integer({ minimum: 0, description: 'At most so many; all when absent.' });

const PAGE_QUERY = {
  limit: LimitSchema,
  after: Type.String({
    minLength: 1,
    description: 'Only what comes after the one with this id; 400 when there is none.',
  }),
};

// Ids, times and names stay whole.
const LEAST_TEXT = 256;
const CUT_QUERY = {
  max_body: Type.Integer({
    minimum: LEAST_TEXT,
    default: DEFAULT_MAX_TEXT,
    description:
      'The characters that a text may have: longer ones are cut, and `truncated` has their lengths.',
  }),
};

type Query = Readonly<Record<string, string>>;
/** An answer whose functions take what its list gives. */
type AnyListAnswer = ListAnswer & {
  readonly show?: (item: unknown, maxText: number) => unknown;
  readonly idOf?: (item: unknown) => string;
  readonly where?: (item: unknown) => boolean;
};

/** The query parameters of a list with pages. */
export function pageQuery({ cutsTexts }: PagesDeclaration): Readonly<Record<string, TSchema>> {
  return cutsTexts === true ? { ...PAGE_QUERY, ...CUT_QUERY } : PAGE_QUERY;
}

/**
 * The items of the page that is asked for, each made when its turn comes. Where a page begins is known when this
 * resolves.
 *
 * @throws BacklotError `invalid` when nothing has the id of `after`
 */
export async function pageOf(
  answer: ListAnswer,
  pages: PagesDeclaration | undefined,
  query: Query,
  signal?: AbortSignal,
): Promise<Iterable<unknown>> {
  const { list, show = (item) => item, where } = answer as AnyListAnswer;
  const { after, limit, max_body: maxText = DEFAULT_MAX_TEXT } = query;
  const most = pages?.cutsTexts === true ? Number(maxText) : Infinity;
  const shown = (item: unknown): unknown => show(item, most);
  if (pages === undefined) return shownOf(list[Symbol.iterator](), { show: shown, where, limit: Infinity });
  const items = list[Symbol.iterator]();
  if (after !== undefined) await runInSlices(skip(items, after, idReader(answer, pages)), signal);
  return shownOf(items, {
    show: pages.cutsTexts === true ? (item) => cutTexts(shown(item), most) : shown,
    where,
    limit: limit === undefined ? Infinity : Number(limit),
  });
}

/**
 * The page of a map that is asked for, whose keys are the ids.
 *
 * @throws BacklotError `invalid` when there is no key such as `after`
 */
export async function pageOfEntries(
  entries: Iterable<readonly [key: string, value: unknown]>,
  query: Query,
): Promise<Iterable<readonly [string, unknown]>> {
  const answer = { list: entries, idOf: ([key]: readonly [string, unknown]) => key };
  return (await pageOf(answer, {}, query)) as Iterable<readonly [string, unknown]>;
}

/** @throws BacklotError `not_found` when no item of a list has the id */
export async function findItem<Item>(
  items: Iterable<Item>,
  idOf: (item: Item) => string,
  id: string,
  what: string,
): Promise<Item> {
  const iterator = items[Symbol.iterator]();
  const found = await runInSlices(find(iterator, id, idOf));
  iterator.return?.();
  if (found === undefined) throw new BacklotError('not_found', `no ${what} "${id}"`);
  return found.item;
}

function idReader(answer: ListAnswer, { idField = 'id' }: PagesDeclaration): (item: unknown) => string {
  const { idOf } = answer as AnyListAnswer;
  return idOf ?? ((item) => String((item as Readonly<Record<string, unknown>>)[idField]));
}

/** Leaves off at the item with the id. */
function* skip(
  items: Iterator<unknown>,
  after: string,
  idOf: (item: unknown) => string,
): Generator<void, void> {
  if ((yield* find(items, after, idOf)) !== undefined) return;
  const message = `must be the id of an item of this list, got ${JSON.stringify(after.slice(0, 200))}; it may be gone: begin again without "after"`;
  throw invalid(`query parameter after ${message}`, [{ path: '/after', message }]);
}

function* find<Item>(
  items: Iterator<Item>,
  id: string,
  idOf: (item: Item) => string,
): Generator<void, { readonly item: Item } | undefined> {
  for (let next = items.next(); next.done !== true; next = items.next()) {
    if (idOf(next.value) === id) return { item: next.value };
    yield;
  }
  return undefined;
}

function* shownOf(
  items: Iterator<unknown>,
  {
    show,
    where,
    limit,
  }: {
    readonly show: (item: unknown) => unknown;
    readonly where: ((item: unknown) => boolean) | undefined;
    readonly limit: number;
  },
): Generator<unknown> {
  try {
    for (let left = limit; left > 0;) {
      const next = items.next();
      if (next.done === true) return;
      if (where !== undefined && !where(next.value)) continue;
      left -= 1;
      yield show(next.value);
    }
  } finally {
    items.return?.();
  }
}
