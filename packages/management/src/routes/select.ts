import { runInSlices } from '@backlot/core/plugin';
import type { FieldTest } from './field-filters.js';

/**
 * The items that pass a test, in their order; of many items in slices, between which others are served.
 *
 * @param read - makes what is tested of an item
 * @param newest - only the last so many that pass; all when absent
 */
export function select<Item>(
  items: readonly Item[],
  read: (item: Item) => unknown,
  test: FieldTest,
  { newest, oldest = Infinity, signal }: { newest?: number; oldest?: number; signal?: AbortSignal } = {},
): readonly Item[] | Promise<readonly Item[]> {
  return runInSlices(selecting(items, read, test, newest, oldest), signal);
}

function* selecting<Item>(
  items: readonly Item[],
  read: (item: Item) => unknown,
  test: FieldTest,
  newest: number | undefined,
  oldest: number,
): Generator<void, readonly Item[]> {
  const found: Item[] = [];
  const most = newest ?? oldest;
  for (let index = 0; index < items.length && found.length < most; index += 1) {
    const item = items[newest === undefined ? index : items.length - 1 - index];
    if (item !== undefined && (yield* test(read(item)))) found.push(item);
    yield;
  }
  return newest === undefined ? found : found.reverse();
}
