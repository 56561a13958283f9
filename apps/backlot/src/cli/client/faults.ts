import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import { readInput } from '../../client/read-input.js';
import type { ClientFlags } from '../connect.js';
import { printDone, printJson } from '../output.js';

/** `backlot fault get`: as JSON, `null` when a protocol has none. */
export async function get(api: ApiClient, kind: string | undefined): Promise<void> {
  printJson(await api.get(kind === undefined ? '/api/fault' : apiPath`/api/fault/${kind}`));
}

/** `backlot fault set`. */
export async function set(api: ApiClient, kind: string, source: string | undefined): Promise<void> {
  printJson(await api.post(apiPath`/api/fault/${kind}`, await readInput(source, 'fault')));
}

/** `backlot fault clear`. */
export async function clear(api: ApiClient, kind: string | undefined, flags: ClientFlags): Promise<void> {
  const answer = await api.delete(kind === undefined ? '/api/fault' : apiPath`/api/fault/${kind}`);
  printDone(kind === undefined ? 'cleared all faults' : `cleared the fault of ${kind}`, answer, flags);
}
