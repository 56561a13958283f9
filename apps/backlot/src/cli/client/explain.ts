import { existsSync } from 'node:fs';
import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import { readInput } from '../../client/read-input.js';
import type { ClientFlags } from '../connect.js';
import { print, printJson } from '../output.js';

interface ExplainedDelay {
  readonly source: string;
  readonly mock_id?: string;
  readonly min_ms: number;
  readonly median_ms: number;
  readonly max_ms?: number;
}

interface Explanation {
  readonly outcome: string;
  readonly mock_id?: string;
  readonly mock_ids?: readonly string[];
  readonly delays?: readonly ExplainedDelay[];
  readonly fault?: { readonly hits: boolean; readonly reason?: string };
  readonly others?: readonly { readonly mock_id: string; readonly reason: string }[];
}

/** `backlot explain`: no traffic, no counts. */
export async function explain(
  api: ApiClient,
  kind: string,
  source: string | undefined,
  flags: ClientFlags,
): Promise<void> {
  const answer = (await api.post(apiPath`/api/explain/${kind}`, await readMessage(source))) as Explanation;
  if (flags.json === true) return printJson(answer);
  const ids = answer.mock_ids ?? (answer.mock_id === undefined ? [] : [answer.mock_id]);
  print(ids.length === 0 ? answer.outcome : `${answer.outcome}: ${ids.join(', ')}`);
  for (const delay of answer.delays ?? []) print(`  waits ${writeDelay(delay)}`);
  const { fault } = answer;
  if (fault !== undefined) print(fault.hits ? '  the fault hits it' : `  no fault: ${fault.reason ?? ''}`);
  for (const { mock_id: id, reason } of answer.others ?? []) print(`  not ${id}: ${reason}`);
}

/** `250 ms (mock pay)`, or `100 to 300 ms, the median 200 ms (fault)`. */
function writeDelay({
  source,
  mock_id: id,
  min_ms: min,
  median_ms: median,
  max_ms: max,
}: ExplainedDelay): string {
  const bounds = max === undefined ? `from ${min} ms on` : `${min} to ${max} ms`;
  const length = min === max ? `${min} ms` : `${bounds}, the median ${median} ms`;
  const owner = id === undefined ? source : source === 'fault' ? `fault of mock ${id}` : `mock ${id}`;
  return `${length} (${owner})`;
}

/** A message as an object, or a line such as `GET /users/7`, which the server reads. */
async function readMessage(source: string | undefined): Promise<object | string> {
  const isFileName = /\.(?:json|ya?ml)$/.test(source ?? '');
  const isLine =
    !isFileName && source !== undefined && source !== '-' && !/^\s*[[{]/.test(source) && !existsSync(source);
  return isLine && !/^[\w-]+:\s/.test(source) ? source : readInput(source, 'message');
}
