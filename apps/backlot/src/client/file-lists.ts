import type { Json, Protocol } from '@backlot/core';
import type { Item, ItemList } from './apply-list.js';

/** What of a second collection's declaration matters here. */
interface CollectionLike {
  readonly path: string;
  readonly configKey: string;
  readonly idField?: string;
  readonly routes?: { readonly replace?: boolean; readonly delete?: boolean };
}

/** The mocks and further items that the block of a kind asks for. */
export function listsOf({ kind, mocks, collections }: Protocol, block: Json): ItemList[] {
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
      items: [block[mocks.configKey], ...further].flatMap(itemsOf),
    },
    ...Object.entries<CollectionLike>(collections ?? {}).map(
      ([name, { path, configKey, idField, routes }]) => ({
        name: `${kind} ${name}`,
        path,
        idField: idField ?? 'id',
        canReplace: routes?.replace === true,
        canDelete: routes?.delete === true,
        isOrdered: false,
        items: itemsOf(block[configKey]),
      }),
    ),
  ];
}

/** The keys of a kind's block that {@link listsOf} reads, at its top. */
export function listKeysOf({ mocks, collections }: Protocol): readonly string[] {
  return [
    mocks.configKey,
    ...Object.values<CollectionLike>(collections ?? {}).map(({ configKey }) => configKey),
  ];
}

/** The items of a list; none when it is absent. */
export function itemsOf(list: unknown): readonly Item[] {
  return Array.isArray(list) ? (list as Item[]) : [];
}

/** What stands where the steps lead; `*` is every item of a list. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] {
  if (step === undefined) return [value];
  if (step === '*') return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : [];
  return typeof value === 'object' && value !== null
    ? valuesAt((value as Readonly<Record<string, unknown>>)[step], rest)
    : [];
}
