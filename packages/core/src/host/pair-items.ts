/** An item of a list that was given, as it is stored. */
export interface ListedItem {
  readonly id: string;
  readonly value: unknown;
}

/** The items of a list before and after, with what each has become. */
export interface ItemPair<Item extends ListedItem> {
  readonly before: Item | undefined;
  readonly after: Item;
  /** Whether both have the same content. */
  readonly isSame: boolean;
}

/** The ids that were given before and after; all others were made up. */
export interface GivenIds {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/** The pairs in the order of the items after, and the items before that are gone. */
export interface PairedItems<Item extends ListedItem> {
  readonly pairs: readonly ItemPair<Item>[];
  readonly gone: readonly Item[];
}

/**
 * Finds, in steps, for each item of a list the one that it was before: that with its id, else, where nobody gave them ids, one with the same
 * content.
 *
 * @returns the pairs in the order of `after`, and the items before that are gone
 */
export function* pairItemSteps<Item extends ListedItem>(
  before: readonly Item[],
  after: readonly Item[],
  given: GivenIds,
): Generator<undefined, PairedItems<Item>> {
  const left = new Map<string, Item>();
  for (const item of before) {
    left.set(item.id, item);
    yield;
  }
  const found = new Map<Item, Item>();
  for (const item of after) {
    yield;
    const there = left.get(item.id);
    if (there === undefined) continue;
    found.set(item, there);
    left.delete(item.id);
  }
  const byContent = new Map<string, Item[]>();
  for (const item of left.values()) {
    if (given.before.has(item.id)) continue;
    const content = contentOf(item);
    const alike = byContent.get(content) ?? [];
    alike.push(item);
    byContent.set(content, alike);
    yield;
  }
  for (const item of after) {
    if (found.has(item) || given.after.has(item.id)) continue;
    const there = byContent.get(contentOf(item))?.shift();
    if (there === undefined) continue;
    found.set(item, there);
    left.delete(there.id);
    yield;
  }
  const pairs: ItemPair<Item>[] = [];
  for (const item of after) {
    const there = found.get(item);
    pairs.push({
      before: there,
      after: item,
      isSame: there !== undefined && contentOf(there) === contentOf(item),
    });
    yield;
  }
  return { pairs, gone: [...left.values()] };
}

function contentOf({ id, value }: ListedItem): string {
  return JSON.stringify(value, (name, inner: unknown) => (name === 'id' && inner === id ? undefined : inner));
}

/** Every text that stands under `id` somewhere in a value, found in steps. */
function* idSteps(value: unknown): Generator<undefined, ReadonlySet<string>> {
  const ids = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, inner] of Object.entries(next)) {
      if (name === 'id' && typeof inner === 'string') ids.add(inner);
      else if (typeof inner === 'object' && inner !== null) waiting.push(inner);
    }
    yield;
  }
  return ids;
}

/** Every id in two values, see {@link idSteps}. */
export function* idsOfBoth(before: unknown, after: unknown): Generator<undefined, GivenIds> {
  return { before: yield* idSteps(before), after: yield* idSteps(after) };
}
