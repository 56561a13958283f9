import type { Json, Protocol } from '@backlot/core';
import type { Item, ItemList } from './apply-list.js';

/** What of an item list's declaration matters here. */
interface ItemListLike {
  readonly path: string;
  readonly configKey: string;
  readonly idField?: string;
  readonly routes?: { readonly replace?: boolean; readonly delete?: boolean };
}

/** The mocks and further items that the block of a kind asks for. */
export function listsOf(protocol: Protocol, block: Json): ItemList[] {
  const { kind, mocks, itemLists } = protocol;
  const further = (mocks.furtherLists ?? []).flatMap((pointer) =>
    valuesAt(block, pointer.split('/').slice(1)),
  );
  return [
    {
      name: kind,
      path: `/api/mocks/${kind}`,
      idField: 'id',
      canReplace: true,
      canDelete: true,
      isOrdered: mocks.mode !== 'items',
      items: expandItems(protocol, [block[mocks.configKey], ...further].flatMap(itemsOf)),
    },
    ...Object.entries<ItemListLike>(itemLists ?? {}).map(([name, { path, configKey, idField, routes }]) => ({
      name: `${kind} ${name}`,
      path,
      idField: idField ?? 'id',
      canReplace: routes?.replace === true,
      canDelete: routes?.delete === true,
      isOrdered: false,
      items: itemsOf(block[configKey]),
    })),
  ];
}

/** The keys of a kind's block that {@link listsOf} reads, at its top. */
export function listKeysOf({ mocks, itemLists }: Protocol): readonly string[] {
  return [mocks.configKey, ...Object.values<ItemListLike>(itemLists ?? {}).map(({ configKey }) => configKey)];
}

/** The items of a list; none when it is absent. */
export function itemsOf(list: unknown): readonly Item[] {
  return Array.isArray(list) ? (list as Item[]) : [];
}

/** The mocks of a list, with those that its short forms stand for. */
function expandItems({ mocks: { shorthand } }: Protocol, items: readonly Item[]): readonly Item[] {
  if (shorthand === undefined) return items;
  return items.flatMap((item) =>
    Object.hasOwn(item, shorthand.field) ? shorthand.expand(item as never) : [item],
  );
}

/** What stands where the steps lead; `*` is every item of a list. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] {
  if (step === undefined) return [value];
  if (step === '*') return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : [];
  return typeof value === 'object' && value !== null
    ? valuesAt((value as Readonly<Record<string, unknown>>)[step], rest)
    : [];
}
