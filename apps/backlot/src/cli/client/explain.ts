import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import { readInput } from '../../client/read-input.js';
import type { ClientFlags } from '../connect.js';
import { print, printJson } from '../output.js';

interface Explanation {
  readonly outcome: string;
  readonly mock_id?: string;
  readonly mock_ids?: readonly string[];
  readonly others?: readonly { readonly mock_id: string; readonly reason: string }[];
}

/** `backlot explain`: no traffic, no counts. */
export async function explain(
  api: ApiClient,
  kind: string,
  source: string | undefined,
  flags: ClientFlags,
): Promise<void> {
  const answer = (await api.post(
    apiPath`/api/explain/${kind}`,
    await readInput(source, 'message'),
  )) as Explanation;
  if (flags.json === true) return printJson(answer);
  const ids = answer.mock_ids ?? (answer.mock_id === undefined ? [] : [answer.mock_id]);
  print(ids.length === 0 ? answer.outcome : `${answer.outcome}: ${ids.join(', ')}`);
  for (const { mock_id: id, reason } of answer.others ?? []) print(`  not ${id}: ${reason}`);
}
