import type { ApiClient } from './api-client.js';

type Item = Readonly<Record<string, unknown>>;

/** What of a second collection's declaration matters here. */
export interface CollectionLike {
  readonly path: string;
  readonly configKey: string;
  readonly idField?: string;
  readonly routes?: { readonly replace?: boolean };
}

/** Items that a server should have. */
export interface ItemList {
  /** For messages. */
  readonly name: string;
  readonly path: string;
  readonly idField: string;
  /** Whether the server can replace one; else one that is there stays as it is. */
  readonly canReplace: boolean;
  readonly items: readonly Item[];
}

/** Creates the items that are not there, and replaces the others, in the order of the list. */
export async function applyList(
  api: ApiClient,
  list: ItemList,
): Promise<{ created: number; replaced: number }> {
  const present = (await api.get(list.path)) as Item[];
  const ids = new Set(present.map((item) => item[list.idField]));
  const counts = { created: 0, replaced: 0 };
  for (const item of list.items) {
    const id = item[list.idField];
    if (typeof id === 'string' && ids.has(id)) {
      if (!list.canReplace) continue;
      await api.put(`${list.path}/${encodeURIComponent(id)}`, item);
      counts.replaced += 1;
    } else {
      await api.post(list.path, item);
      counts.created += 1;
    }
  }
  return counts;
}
