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

/**
 * Finds for each item of a list the one that it was before: that with its id, else, where nobody gave them ids, one with the same
 * content.
 *
 * @param given - the ids that were given before and after; all others were made up
 * @returns the pairs in the order of `after`, and the items before that are gone
 */
export function pairItems<Item extends ListedItem>(
  before: readonly Item[],
  after: readonly Item[],
  given: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> },
): { readonly pairs: readonly ItemPair<Item>[]; readonly gone: readonly Item[] } {
  const left = new Map(before.map((item) => [item.id, item]));
  const found = new Map<Item, Item>();
  for (const item of after) {
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
  }
  for (const item of after) {
    if (found.has(item) || given.after.has(item.id)) continue;
    const there = byContent.get(contentOf(item))?.shift();
    if (there === undefined) continue;
    found.set(item, there);
    left.delete(there.id);
  }
  const pairs = after.map((item) => {
    const there = found.get(item);
    return {
      before: there,
      after: item,
      isSame: there !== undefined && contentOf(there) === contentOf(item),
    };
  });
  return { pairs, gone: [...left.values()] };
}

function contentOf({ id, value }: ListedItem): string {
  return JSON.stringify(value, (name, inner: unknown) => (name === 'id' && inner === id ? undefined : inner));
}

/** Every text that stands under `id` somewhere in a value. */
export function idsIn(value: unknown, ids = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return ids;
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'id' && typeof inner === 'string') ids.add(inner);
    else idsIn(inner, ids);
  }
  return ids;
}
