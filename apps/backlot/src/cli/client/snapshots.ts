import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import type { ClientFlags } from '../connect.js';
import { print, printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';

interface Snapshot {
  readonly id: string;
  readonly name?: string;
  readonly created_at: string;
}

/** `backlot snapshot create`. */
export async function create(api: ApiClient, name: string | undefined, flags: ClientFlags): Promise<void> {
  const snapshot = (await api.post('/api/snapshots', name === undefined ? {} : { name })) as Snapshot;
  if (flags.json === true) return printJson(snapshot);
  print(`created ${snapshot.id}`);
}

/** `backlot snapshot list`. */
export async function list(api: ApiClient, flags: ClientFlags): Promise<void> {
  const snapshots = (await api.get('/api/snapshots')) as Snapshot[];
  if (flags.json === true) return printJson(snapshots);
  const rows = snapshots.map(({ id, name, created_at: created }) => [id, created, name ?? '']);
  printLines(rows.length === 0 ? ['no snapshots'] : formatTable(['id', 'created', 'name'], rows));
}

/** `backlot snapshot restore`. */
export async function restore(api: ApiClient, id: string, flags: ClientFlags): Promise<void> {
  printDone(`restored ${id}`, await api.post(apiPath`/api/snapshots/${id}/restore`), flags);
}

/** `backlot snapshot delete`. */
export async function remove(api: ApiClient, id: string, flags: ClientFlags): Promise<void> {
  printDone(`deleted ${id}`, await api.delete(apiPath`/api/snapshots/${id}`), flags);
}
