import type { ApiClient } from '../../client/api-client.js';
import { apiPath, queryOf } from '../../client/paths.js';
import type { ClientFlags } from '../connect.js';
import { CommandError } from '../command-error.js';
import { printDone, printJson, printLines, printText } from '../output.js';
import { formatTable } from '../table.js';

/** `backlot state get`: one value as it is, or all of them. */
export async function get(api: ApiClient, key: string | undefined, flags: ClientFlags): Promise<void> {
  const values = (await api.get('/api/state')) as Record<string, string>;
  if (key !== undefined) {
    if (!Object.hasOwn(values, key)) throw new CommandError(`there is no state "${key}"`);
    return flags.json === true ? printJson(values[key]) : printText(values[key] ?? '');
  }
  if (flags.json === true) return printJson(values);
  const rows = Object.entries(values);
  printLines(rows.length === 0 ? ['no state'] : formatTable(['key', 'value'], rows));
}

/** `backlot state set`. */
export async function set(
  api: ApiClient,
  key: string,
  value: string,
  flags: ClientFlags & { readonly ttl?: string },
): Promise<void> {
  const { ttl } = flags;
  const answer = await api.post(`/api/state${queryOf({ ttl })}`, Object.fromEntries([[key, value]]));
  printDone(`set ${key}`, answer, flags);
}

/** `backlot state delete`. */
export async function remove(
  api: ApiClient,
  key: string | undefined,
  flags: ClientFlags & { readonly prefix?: string },
): Promise<void> {
  const { prefix } = flags;
  if ((key === undefined) === (prefix === undefined)) throw new CommandError('give either a key or --prefix');
  if (key !== undefined) {
    printDone(`deleted ${key}`, await api.delete(apiPath`/api/state/${key}`), flags);
    return;
  }
  const answer = (await api.delete(`/api/state${queryOf({ prefix })}`)) as { deleted: number };
  printDone(`deleted ${answer.deleted}`, answer, flags);
}
