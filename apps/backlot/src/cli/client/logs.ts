import { orderTrace, type JournalEntry } from '@backlot/core';
import type { ApiClient } from '../../client/api-client.js';
import { queryOf } from '../../client/paths.js';
import type { ClientFlags } from '../connect.js';
import { formatEntry } from '../entry-line.js';
import { note, outputGone, print, printJson, printJsonText } from '../output.js';

/** The flags of `backlot logs`. */
export interface LogFlags extends Omit<ClientFlags, 'space'> {
  /** The space whose traffic it is, or a pattern of several. */
  readonly space?: string | undefined;
  readonly follow?: boolean;
  readonly protocol?: string;
  readonly matchedId?: string;
  readonly unmatched?: boolean;
  readonly trace?: string;
  readonly where?: readonly (readonly [field: string, pattern: string])[];
  readonly after?: string;
  readonly limit?: number;
}

type Entry = Readonly<Record<string, unknown>>;

/** `backlot logs`; with `-f` it goes on until it is interrupted, the server stops or nobody reads. With `--json -f` one entry a line. */
export async function logs(api: ApiClient, flags: LogFlags): Promise<void> {
  const filter = {
    ...Object.fromEntries(flags.where ?? []),
    protocol: flags.protocol,
    matched_id: flags.matchedId,
    unmatched: flags.unmatched,
    trace: flags.trace,
    space: flags.space,
  };
  if (flags.follow !== true) {
    const entries = (await api.get(
      `/api/logs${queryOf({ ...filter, after: flags.after, limit: flags.limit })}`,
    )) as Entry[];
    if (flags.json === true) return printJson(entries);
    const lines =
      flags.trace === undefined
        ? entries.map((entry) => ({ entry, depth: 0 }))
        : orderTrace(entries as unknown as readonly (Entry & JournalEntry)[]);
    for (const { entry, depth } of lines) print(`${'  '.repeat(depth)}${formatEntry(entry)}`);
    return;
  }
  for await (const { event, data } of api.events(`/api/logs/stream${queryOf(filter)}`, outputGone)) {
    if (event === 'dropped') note(`some entries were left out: ${data}`);
    else if (event !== 'message') continue;
    else if (flags.json === true) printJsonText(data);
    else print(formatEntry(JSON.parse(data) as Entry));
  }
}
