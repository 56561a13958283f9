import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import type { Host, JournalEntry } from '@backlot/core';
import { readVersion } from '../version.js';
import { CommandError } from './command-error.js';
import { formatEntry } from './entry-line.js';
import { entryOfHar } from './har-entry.js';
import { note } from './output.js';

/** How many of the last exchanges explain a failure, and how many of those that met no mock. */
const LAST = 50;
const MOST_UNMATCHED = 20;

/**
 * Says on standard error what met no mock, and what came last, so that the log of a failed build explains itself.
 *
 * @param said - lines that were written already: messages in them are not named as unmatched once more
 */
export function explainFailure(host: Host, said: ReadonlySet<string> = new Set()): void {
  const entries = host.journal.list({ limit: LAST });
  if (entries.length === 0) {
    note(
      host.journal.newest === '0'
        ? 'no message was received'
        : 'the log was cleared, and has received no message since',
    );
    return;
  }
  const unmatched = host.journal
    .list({ unmatched: true })
    .filter((entry) => entry.missed === true && !said.has(`  ${formatEntry(entry)}`));
  if (unmatched.length > 0) {
    note(`${unmatched.length === 1 ? '1 message' : `${unmatched.length} messages`} met no mock:`);
    for (const entry of unmatched.slice(0, MOST_UNMATCHED)) note(`  ${formatEntry(entry)}`);
    if (unmatched.length > MOST_UNMATCHED) note(`  and ${unmatched.length - MOST_UNMATCHED} more`);
  }
  note(entries.length === 1 ? 'the only message:' : `the last ${entries.length} messages:`);
  for (const entry of entries) note(`  ${formatEntry(entry)}`);
}

/**
 * Writes the traffic that the journal holds, as HAR when the name ends in `.har`, else as a line of JSON for each exchange.
 *
 * @throws CommandError when the file cannot be written
 */
export async function writeTraffic(file: string, host: Host): Promise<void> {
  const isHar = /\.har$/i.test(file);
  const urls = new Map(
    host.kinds.flatMap(({ kind, url }) => (url === undefined ? [] : [[kind, url] as const])),
  );
  const stream = createWriteStream(file);
  const failed = once(stream, 'error').then(([error]: unknown[]) => Promise.reject(error as Error));
  failed.catch(() => undefined);
  try {
    const write = async (text: string): Promise<void> => {
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), failed]);
    };
    if (isHar)
      await write(
        `{"log":{"version":"1.2","creator":{"name":"Backlot","version":"${readVersion()}"},"entries":[`,
      );
    let isFirst = true;
    for (const item of host.journal.items({})) {
      const entry: JournalEntry = item.render();
      if (isHar)
        await write(`${isFirst ? '' : ','}\n${JSON.stringify(entryOfHar(entry, urls.get(entry.protocol)))}`);
      else await write(`${JSON.stringify(entry)}\n`);
      isFirst = false;
    }
    stream.end(isHar ? '\n]}}\n' : '');
    await Promise.race([once(stream, 'close'), failed]);
  } catch (error) {
    throw new CommandError(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
