import type { NewSpace, SpaceView } from '@backlot/core';
import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import type { ClientFlags } from '../connect.js';
import { print, printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';

/** What `backlot spaces create` is given beside the id. */
export interface CreateFlags extends ClientFlags {
  readonly protocols?: readonly string[];
  readonly ttl?: string;
  readonly seed?: number;
}

/** `backlot spaces list`. */
export async function list(api: ApiClient, flags: ClientFlags): Promise<void> {
  const spaces = (await api.get('/api/spaces')) as SpaceView[];
  if (flags.json === true) return printJson(spaces);
  const rows = spaces.map(({ id, created_at: created, expires_at: expires, protocols }) => [
    id,
    created,
    expires,
    Object.keys(protocols).join(' '),
  ]);
  printLines(
    rows.length === 0 ? ['no spaces'] : formatTable(['id', 'created', 'ends unless used', 'listens'], rows),
  );
}

/** `backlot spaces create`. */
export async function create(api: ApiClient, id: string | undefined, flags: CreateFlags): Promise<void> {
  const { protocols, ttl, seed } = flags;
  const wanted: NewSpace = {
    ...(id !== undefined && { id }),
    ...(protocols !== undefined && { protocols: [...protocols] }),
    ...(ttl !== undefined && { ttl }),
    ...(seed !== undefined && { seed }),
  };
  printSpace((await api.post('/api/spaces', wanted)) as SpaceView, flags);
}

/** `backlot spaces show`. */
export async function show(api: ApiClient, id: string, flags: ClientFlags): Promise<void> {
  printSpace((await api.get(apiPath`/api/spaces/${id}`)) as SpaceView, flags);
}

/** `backlot spaces end`. */
export async function end(api: ApiClient, id: string, flags: ClientFlags): Promise<void> {
  printDone(`ended ${id}`, await api.delete(apiPath`/api/spaces/${id}`), flags);
}

function printSpace(space: SpaceView, { json }: ClientFlags): void {
  if (json === true) return printJson(space);
  const { id, expires_at: expires, protocols } = space;
  print(`${id} ends at ${expires}, unless it is used before`);
  const rows = Object.entries(protocols).map(([kind, { url }]) => [kind, url]);
  if (rows.length > 0) printLines(formatTable(['protocol', 'url'], rows));
}
