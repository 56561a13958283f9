import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import type { ClientFlags } from '../connect.js';
import { note, printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';

interface Scenario {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly active: boolean;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

/** `backlot scenario list`. */
export async function list(api: ApiClient, flags: ClientFlags): Promise<void> {
  const scenarios = (await api.get('/api/scenarios')) as Scenario[];
  if (flags.json === true) return printJson(scenarios);
  const rows = scenarios.map(({ id, name, description, active }) => [
    id,
    active ? 'yes' : 'no',
    name ?? description ?? '',
  ]);
  printLines(rows.length === 0 ? ['no scenarios'] : formatTable(['id', 'active', 'what it is'], rows));
}

/** `backlot scenario show`. */
export async function show(api: ApiClient, id: string): Promise<void> {
  printJson(await api.get(apiPath`/api/scenarios/${id}`));
}

/** `backlot scenario activate`. */
export async function activate(api: ApiClient, id: string, flags: ClientFlags): Promise<void> {
  const answer = (await api.post(apiPath`/api/scenarios/${id}/activate`)) as {
    active: readonly string[];
  };
  printDone(`activated ${id}; active: ${answer.active.join(', ')}`, answer, flags);
  const { problems = [] } = (await api.get(apiPath`/api/scenarios/${id}`)) as Scenario;
  for (const { path, message } of problems) note(`warning: ${path} ${message}`);
}

/** `backlot scenario deactivate`. */
export async function deactivate(api: ApiClient, id: string, flags: ClientFlags): Promise<void> {
  const answer = (await api.delete(apiPath`/api/scenarios/${id}/activate`)) as {
    active: readonly string[];
  };
  const { active } = answer;
  const left = active.length === 0 ? 'none' : active.join(', ');
  printDone(`deactivated ${id}; active: ${left}`, answer, flags);
}
