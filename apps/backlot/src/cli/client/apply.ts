import type { ApiClient } from '../../client/api-client.js';
import { applyList, type CollectionLike, type ItemList } from '../../client/apply-list.js';
import { loadConfig } from '../load-config.js';
import { print } from '../output.js';

/** `backlot apply -f FILE`: the file is checked first, so that a mistake in it changes nothing. */
export async function apply(api: ApiClient, file: string): Promise<void> {
  const { settings, protocols } = await loadConfig(file);
  const lists: ItemList[] = [];
  for (const { kind, mocks, collections } of protocols) {
    const block = settings?.protocols?.[kind];
    if (block === undefined || block['enabled'] === false) continue;
    lists.push({
      name: kind,
      path: `/api/mocks/${kind}`,
      idField: 'id',
      canReplace: true,
      items: itemsOf(block[mocks.configKey]),
    });
    for (const [name, collection] of Object.entries<CollectionLike>(collections ?? {})) {
      lists.push({
        name: `${kind} ${name}`,
        path: collection.path,
        idField: collection.idField ?? 'id',
        canReplace: collection.routes?.replace === true,
        items: itemsOf(block[collection.configKey]),
      });
    }
  }
  const scenarios = itemsOf(settings?.scenarios);
  lists.push({
    name: 'scenarios',
    path: '/api/scenarios',
    idField: 'id',
    canReplace: true,
    items: scenarios,
  });
  for (const list of lists) {
    if (list.items.length === 0) continue;
    const { created, replaced } = await applyList(api, list);
    print(`${list.name}: ${created} created, ${replaced} replaced`);
  }
  for (const { id, active } of scenarios) {
    if (typeof id !== 'string' || typeof active !== 'boolean') continue;
    await api.post(`/api/scenarios/${encodeURIComponent(id)}/${active ? 'activate' : 'deactivate'}`);
  }
  const state = settings?.state ?? {};
  if (Object.keys(state).length > 0) {
    await api.post('/api/state', state);
    print(`state: ${Object.keys(state).length} set`);
  }
}

function itemsOf(list: unknown): ItemList['items'] {
  return Array.isArray(list) ? (list as ItemList['items']) : [];
}
