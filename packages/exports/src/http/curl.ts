import type { JournalItem } from '@backlot/core';
import { invalid, type Exporter, type ExportSource } from '@backlot/core/plugin';

/** The requests of the log as command lines of curl, in a script that sends them again. */
export const curl: Exporter = {
  format: 'curl',
  title: 'curl command lines of the log',
  contentType: 'text/x-shellscript; charset=utf-8',
  extension: '.sh',
  *write(source, notes) {
    let hasBegun = false;
    for (const item of source.log()) {
      yield undefined;
      const line = lineOf(item, source, (message) => notes.refused(item.id, message));
      if (line === undefined) continue;
      notes.written('commands');
      if (!hasBegun) yield '#!/bin/sh\n';
      hasBegun = true;
      yield line;
    }
    if (!hasBegun) throw invalid('the log has no request that curl can send');
  },
};

function lineOf(
  item: JournalItem,
  source: ExportSource,
  refuse: (message: string) => void,
): string | undefined {
  const entry = item.render('near_misses');
  if (entry.span !== undefined) return undefined;
  const kind = source.kind(entry.protocol);
  const command = kind?.protocol.command;
  if (command?.tool !== 'curl') {
    refuse(`messages of ${entry.protocol} are none that curl sends`);
    return undefined;
  }
  if (kind?.place === undefined) {
    refuse(`${entry.protocol} does not listen`);
    return undefined;
  }
  if (entry.body_truncated === true) {
    refuse('the log has the first 64 KiB of a longer body only; the request is left out');
    return undefined;
  }
  const line = command.write(item.message, kind.place);
  if (line === undefined) {
    refuse('curl cannot send such a request');
    return undefined;
  }
  // What a client has sent must not end the comment.
  const said = `${item.id} ${entry.timestamp} ${entry.method} ${entry.path} ${entry.status ?? ''}`;
  return `# ${said
    .replaceAll(/[\0-\x1f\x7f]/g, ' ')
    .slice(0, 300)
    .trimEnd()}\n${line}\n`;
}
