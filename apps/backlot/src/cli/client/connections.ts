import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import type { ClientFlags } from '../connect.js';
import { printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';
import { shorten } from '../visible.js';

/** What `backlot connections close` takes. */
export interface CloseFlags {
  readonly id?: string;
  readonly remote?: string;
  readonly user?: string;
  readonly client?: string;
  readonly how?: string;
}

interface Connection {
  readonly id: string;
  readonly remote: string;
  readonly user?: string;
  readonly client?: string;
  readonly age_ms: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly subscriptions?: readonly string[];
}

/** `backlot connections`. */
export async function list(api: ApiClient, kind: string, flags: ClientFlags): Promise<void> {
  const open = (await api.get(apiPath`/api/connections/${kind}`)) as Connection[];
  if (flags.json === true) return printJson(open);
  const rows = open.map((one) => [
    one.id,
    one.remote,
    one.user ?? '',
    one.client ?? '',
    `${Math.floor(one.age_ms / 1000)} s`,
    String(one.bytes_in),
    String(one.bytes_out),
    shorten((one.subscriptions ?? []).join(' '), 60),
  ]);
  const head = ['id', 'remote', 'user', 'client', 'age', 'in', 'out', 'subscriptions'];
  printLines(rows.length === 0 ? ['no connections'] : formatTable(head, rows));
}

/** `backlot connections close`. */
export async function close(api: ApiClient, kind: string, flags: CloseFlags & ClientFlags): Promise<void> {
  const { id, remote, user, client, how } = flags;
  const given = Object.entries({ id, remote, user, client, how }).filter(([, value]) => value !== undefined);
  const answer = (await api.post(apiPath`/api/connections/${kind}/close`, Object.fromEntries(given))) as {
    closed: number;
  };
  const { closed } = answer;
  printDone(`closed ${closed} ${closed === 1 ? 'connection' : 'connections'}`, answer, flags);
}
