import type { Mailbox } from '../mail/mailbox.js';
import { BadCommand, Refusal } from '../wire/bad-command.js';
import type { SequenceSet } from '../wire/sequence-set.js';
import type { Entry, Selected } from './selected.js';
import type { CommandContext } from './command-context.js';

/** A message with its sequence number. */
export interface Picked {
  readonly number: number;
  readonly entry: Entry;
}

/** The selected mailbox of a command. */
export interface SelectedMailbox {
  readonly selected: Selected;
  readonly mailbox: Mailbox | undefined;
  readonly path: string;
  readonly uses: string;
}

/** What a command on the selected mailbox works on; taken when it is prepared. */
export function selectedMailbox(session: CommandContext): SelectedMailbox {
  const { selected, store } = session;
  if (selected === undefined) throw new BadCommand('no mailbox is selected');
  const { name } = selected;
  return { selected, mailbox: store.find(name), path: name, uses: name };
}

/** The mailbox, if it is still there. @throws Refusal */
export function requireMailbox(mailbox: Mailbox | undefined): Mailbox {
  if (mailbox === undefined) throw new Refusal('[NONEXISTENT] the mailbox is gone');
  return mailbox;
}

/** The mailbox, if it is there and may be changed. @throws Refusal */
export function requireWritable({ selected, mailbox }: SelectedMailbox): Mailbox {
  if (selected.isReadOnly) throw new Refusal('the mailbox was opened read-only');
  return requireMailbox(mailbox);
}

/**
 * The messages of a set, in ascending order.
 *
 * @throws BadCommand for a sequence number above the number of messages (RFC 3501, section 9: seq-number)
 */
export function pickMessages({ entries }: Selected, set: SequenceSet, byUid: boolean): readonly Picked[] {
  const count = entries.length;
  if (!byUid) {
    checkNumbers({ entries }, set);
    return collect(entries, set.ranges(count));
  }
  if (count === 0) return [];
  const last = entries[count - 1]?.record.uid ?? 0;
  const numbers = set
    .ranges(last)
    .map(([from, to]) => [firstFrom(entries, from) + 1, firstFrom(entries, to + 1)] as const);
  return collect(entries, numbers);
}

/** @throws BadCommand for a sequence number above the number of messages (RFC 3501, section 9: seq-number) */
export function checkNumbers({ entries: { length } }: Pick<Selected, 'entries'>, set: SequenceSet): void {
  if (set.highest > length || (length === 0 && set.hasStar)) {
    throw new BadCommand(`there are ${length} messages, so the set names some that do not exist`);
  }
}

function collect(
  entries: readonly Entry[],
  ranges: readonly (readonly [number, number])[],
): readonly Picked[] {
  const picked: Picked[] = [];
  for (const [from, to] of ranges) {
    for (let number = from; number <= to; number += 1) {
      const entry = entries[number - 1];
      if (entry !== undefined) picked.push({ number, entry });
    }
  }
  return picked;
}

/** The place of the first message whose UID is at least this. */
function firstFrom(entries: readonly Entry[], uid: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.record.uid ?? 0) < uid) low = middle + 1;
    else high = middle;
  }
  return low;
}
