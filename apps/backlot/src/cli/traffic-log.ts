import type { Host, JournalItem } from '@backlot/core';
import { formatEntry, formatInColour } from './entry-line.js';
import { note, outputGone, printJsonText, printPainted, print } from './output.js';

/** How the traffic is shown. */
export type TrafficFormat = 'text' | 'json' | 'none';

/** So much may wait to be written, in bytes; what comes beyond it is left out, and counted. */
const MOST_WAITING = 1024 * 1024;

/**
 * Writes a line for each exchange on standard output. A reader that is slow, or has gone, holds nothing up: lines are left out, and how
 * many is said on standard error.
 *
 * @param output - standard output, whose queue is looked at
 * @returns a function that ends it
 */
export function logTraffic(
  host: Host,
  format: TrafficFormat,
  output: NodeJS.WriteStream = process.stdout,
): () => void {
  if (format === 'none') return () => undefined;
  const show = writerOf(format, output);
  let missed = 0;
  const tellMissed = (): void => {
    if (missed > 0)
      note(`warning: ${missed} lines of traffic were left out: standard output is read too slowly`);
    missed = 0;
  };
  output.on('drain', tellMissed);
  const unsubscribe = host.journal.subscribe({}, (item) => {
    if (outputGone.aborted) return;
    if (output.writableLength > MOST_WAITING) missed += 1;
    else show(item);
  });
  const end = (): void => {
    unsubscribe();
    output.off('drain', tellMissed);
    tellMissed();
  };
  // Nobody reads: nothing is rendered any more.
  outputGone.addEventListener('abort', unsubscribe, { once: true });
  return end;
}

function writerOf(format: 'text' | 'json', output: NodeJS.WriteStream): (item: JournalItem) => void {
  if (format === 'json') return (item) => printJsonText(JSON.stringify(item.render()));
  if (!isColoured(output)) return (item) => print(formatEntry(item.render()));
  return (item) => printPainted(formatInColour(item.render()));
}

/** Colour is for terminals, unless the user wants none: https://no-color.org. */
function isColoured({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
}
