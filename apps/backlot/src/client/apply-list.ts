import { contentOf } from './content.js';

/** What reads and changes a server, or notes what it would change. */
export interface Api {
  get(path: string): Promise<unknown>;
  post(path: string, body?: unknown): Promise<unknown>;
  put(path: string, body: unknown): Promise<unknown>;
  delete(path: string): Promise<unknown>;
}

/** A mock, scenario or item of a list. */
export type Item = Readonly<Record<string, unknown>>;

/** Items that a server should have. */
export interface ItemList {
  /** For messages. */
  readonly name: string;
  readonly path: string;
  readonly idField: string;
  /** Fields that answers have and that nobody gives. */
  readonly answerFields?: readonly string[];
  readonly canReplace: boolean;
  readonly canDelete: boolean;
  /** Whether it matters which one stands before which. */
  readonly isOrdered: boolean;
  readonly items: readonly Item[];
}

/** What applying a list has done. */
export interface Applied {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  /** How many the server has beside them. */
  further: number;
  /** What was not done, a sentence each. */
  readonly notes: string[];
}

/**
 * Makes the items of a server those of a list: what is not there is added, what differs is replaced. An item without an
 * id is the one on the server that has the same content; of several with the same content each is one of its own.
 *
 * @param isPruning - whether what is on the server and not in the list is removed
 */
export async function applyList(api: Api, list: ItemList, isPruning: boolean): Promise<Applied> {
  const present = (await api.get(list.path)) as readonly Item[];
  const applied: Applied = { added: 0, changed: 0, removed: 0, unchanged: 0, further: 0, notes: [] };
  const { left, found } = match(list, present);
  for (const item of list.items) {
    const there = found.get(item);
    if (there === undefined) {
      await api.post(list.path, item);
      applied.added += 1;
    } else if (isSame(list, item, there)) {
      applied.unchanged += 1;
    } else {
      await replace(api, list, item, applied);
    }
  }
  if (isPruning) await prune(api, list, left, applied);
  else applied.further = left.length;
  if (list.isOrdered && !isInOrder(list.items, present, found)) {
    applied.notes.push(
      `${list.name}: the server asks them in another order than the file has them, since what is added comes last; restart it, or give them a priority`,
    );
  }
  return applied;
}

/** Finds the item of the server that each one of the list is; what is left is in no list. */
function match(
  list: ItemList,
  present: readonly Item[],
): { readonly found: ReadonlyMap<Item, Item>; readonly left: readonly Item[] } {
  const left = new Map(present.map((item) => [item[list.idField], item]));
  const found = new Map<Item, Item>();
  for (const item of list.items) {
    const there = left.get(item[list.idField]);
    if (there === undefined) continue;
    found.set(item, there);
    left.delete(there[list.idField]);
  }
  const byContent = new Map<string, Item[]>();
  for (const item of left.values()) {
    const content = contentOfItem(list, item);
    byContent.set(content, [...(byContent.get(content) ?? []), item]);
  }
  for (const item of list.items) {
    if (item[list.idField] !== undefined) continue;
    const there = byContent.get(contentOfItem(list, item))?.shift();
    if (there === undefined) continue;
    found.set(item, there);
    left.delete(there[list.idField]);
  }
  return { found, left: [...left.values()] };
}

function contentOfItem({ idField, answerFields = [] }: ItemList, item: Item): string {
  return contentOf(item, [idField, ...answerFields]);
}

function isSame(list: ItemList, item: Item, there: Item): boolean {
  return contentOfItem(list, item) === contentOfItem(list, there);
}

async function replace(api: Api, list: ItemList, item: Item, applied: Applied): Promise<void> {
  const place = placeOf(list, item);
  if (list.canReplace) {
    await api.put(place, item);
  } else if (list.canDelete) {
    await api.delete(place);
    await api.post(list.path, item);
  } else {
    applied.notes.push(
      `${list.name}: "${String(item[list.idField])}" is another one on the server, and cannot be replaced while it runs; restart it`,
    );
    return;
  }
  applied.changed += 1;
}

async function prune(api: Api, list: ItemList, left: readonly Item[], applied: Applied): Promise<void> {
  if (!list.canDelete) {
    applied.further = left.length;
    if (left.length > 0)
      applied.notes.push(`${list.name}: they cannot be removed while the server runs; restart it`);
    return;
  }
  for (const item of left) await api.delete(placeOf(list, item));
  applied.removed = left.length;
}

function placeOf(list: ItemList, item: Item): string {
  return `${list.path}/${encodeURIComponent(String(item[list.idField]))}`;
}

function isInOrder(
  items: readonly Item[],
  present: readonly Item[],
  found: ReadonlyMap<Item, Item>,
): boolean {
  const indexes = new Map(present.map((item, index) => [item, index]));
  const places = items.map((item) => indexes.get(found.get(item) ?? item) ?? present.length);
  return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0));
}
