import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import { readInput } from '../../client/read-input.js';
import type { ClientFlags } from '../connect.js';
import { print, printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';
import { shorten } from '../visible.js';

type Mock = Readonly<Record<string, unknown>> & { readonly id?: string };

/** `backlot list`: the mocks of one protocol, or of all that run. */
export async function list(api: ApiClient, kind: string | undefined, flags: ClientFlags): Promise<void> {
  const kinds = kind === undefined ? await listRunning(api) : [kind];
  const lists = await Promise.all(
    kinds.map(async (name) => [name, (await api.get(apiPath`/api/mocks/${name}`)) as Mock[]] as const),
  );
  if (flags.json === true) return printJson(kind === undefined ? Object.fromEntries(lists) : lists[0]?.[1]);
  const rows = lists.flatMap(([name, mocks]) =>
    mocks.map((mock) => [name, String(mock.id), describeMock(mock)]),
  );
  printLines(rows.length === 0 ? ['no mocks'] : formatTable(['protocol', 'id', 'mock'], rows));
}

async function listRunning(api: ApiClient): Promise<string[]> {
  const protocols = (await api.get('/api/protocols')) as { protocol: string; enabled: boolean }[];
  return protocols.filter(({ enabled }) => enabled).map(({ protocol }) => protocol);
}

/** The beginning of a mock, without its id: what it asks for stands first in every kind. */
function describeMock(mock: Mock): string {
  const parts = Object.entries(mock)
    .filter(([name]) => name !== 'id')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return shorten(parts.join(' '), 100);
}

/** `backlot add`. */
export async function add(
  api: ApiClient,
  kind: string,
  source: string | undefined,
  flags: ClientFlags,
): Promise<void> {
  const created = (await api.post(apiPath`/api/mocks/${kind}`, await readInput(source, 'mock'))) as
    Mock | Mock[];
  if (flags.json === true) return printJson(created);
  for (const mock of Array.isArray(created) ? created : [created]) print(`created ${String(mock.id)}`);
}

/** `backlot delete`. */
export async function remove(api: ApiClient, kind: string, id: string, flags: ClientFlags): Promise<void> {
  printDone(`deleted ${id}`, await api.delete(apiPath`/api/mocks/${kind}/${id}`), flags);
}
