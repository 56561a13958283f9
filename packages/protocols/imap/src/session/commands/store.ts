import { runInSlices } from '@backlot/core/plugin';
import { changeFlags, MAX_FLAGS, normaliseFlag } from '../../mail/flags.js';
import { BadCommand, Refusal } from '../../wire/bad-command.js';
import type { CommandReader } from '../../wire/command-reader.js';
import type { Mailbox } from '../../mail/mailbox.js';
import { SequenceSet } from '../../wire/sequence-set.js';
import type { Command } from '../command.js';
import type { Done } from '../job.js';
import { pickMessages, requireWritable, selectedMailbox, type Picked } from '../pick-messages.js';
import type { Selected } from '../selected.js';
import type { CommandContext } from '../command-context.js';

/** Responses are sent together up to this size. */
const PIECE = 64 * 1024;
const ITEM = /^([+-]?)FLAGS(\.SILENT)?$/;

/** STORE. */
export const store: Command = makeStore(false);
/** UID STORE. */
export const uidStore: Command = makeStore(true);

function makeStore(byUid: boolean): Command {
  return {
    needs: 'mailbox',
    isCovered: true,
    isChange: true,
    prepare(session, reader) {
      reader.space();
      const set = new SequenceSet(reader.sequenceSet());
      reader.space();
      const item = ITEM.exec(reader.word('FLAGS, +FLAGS or -FLAGS'));
      if (item === null)
        throw new BadCommand('STORE changes FLAGS, +FLAGS or -FLAGS, each also with .SILENT');
      const [, sign, silent] = item;
      reader.space();
      const flags = readFlags(reader);
      reader.end();
      const target = selectedMailbox(session);
      const how = sign === '+' ? 'add' : sign === '-' ? 'remove' : 'set';
      return {
        ...target,
        perform({ name }) {
          const mailbox = requireWritable(target);
          const { selected } = target;
          const picked = pickMessages(selected, set, byUid);
          const sync = byUid ? 'expunge' : 'no expunge';
          const finish = (areGone: boolean): Done => {
            session.store.watchers.notify(mailbox.name);
            const text = areGone
              ? 'NO [EXPUNGEISSUED] some of the messages are gone'
              : `OK ${name} completed`;
            return { text, sync, withUid: byUid };
          };
          const change = { how, flags, isSilent: silent !== undefined, byUid } as const;
          const done = runInSlices(changeAll(session, selected, mailbox, picked, change));
          return done instanceof Promise ? done.then(finish) : finish(done);
        },
      };
    },
  };
}

/** What STORE does to each message. */
interface Change {
  readonly how: 'set' | 'add' | 'remove';
  readonly flags: readonly string[];
  readonly isSilent: boolean;
  readonly byUid: boolean;
}

/**
 * Changes flags and tells of it; gives whether some of the messages are gone. Yields now and then, see `runInSlices`.
 *
 * @throws Refusal
 */
function* changeAll(
  session: CommandContext,
  selected: Selected,
  mailbox: Mailbox,
  picked: readonly Picked[],
  { how, flags, isSilent, byUid }: Change,
): Generator<undefined, boolean> {
  // What others have changed first: the response is about this change alone.
  let lines = selected.sync(mailbox, 'no expunge', byUid);
  const send = (): void => {
    if (lines !== '') session.send(lines);
    lines = '';
  };
  let isLive = selected.isLive(mailbox);
  let { removals } = mailbox;
  if (how !== 'remove' && !mailbox.admits(flags)) {
    send();
    throw new Refusal('[LIMIT] a mailbox cannot have that many flags');
  }
  let areGone = false;
  for (const { number, entry } of picked) {
    const { record } = entry;
    // Others may have taken messages out meanwhile.
    if (mailbox.removals !== removals) {
      isLive = selected.isLive(mailbox);
      ({ removals } = mailbox);
    }
    if (!isLive(entry)) {
      areGone = true;
      continue;
    }
    const changed = changeFlags(record.flags, how, flags);
    if (changed === undefined) {
      send();
      throw new Refusal('[LIMIT] a message cannot have that many flags');
    }
    mailbox.isTouched = true;
    mailbox.setFlags(record, changed);
    entry.told = record.flags;
    const uid = byUid ? `UID ${record.uid} ` : '';
    if (!isSilent) lines += `* ${number} FETCH (${uid}FLAGS ${selected.flagsOf(entry)})\r\n`;
    if (lines.length > PIECE) send();
    yield;
  }
  send();
  return areGone;
}

/** Flags in parentheses, or, for STORE, without them. @throws BadCommand */
export function readFlags(reader: CommandReader): readonly string[] {
  let count = 0;
  const flag = (): string => {
    count += 1;
    if (count > MAX_FLAGS) throw new BadCommand(`a command names at most ${MAX_FLAGS} flags`);
    const mark = reader.take('\\') ? '\\' : '';
    const given = mark + reader.atom('a flag');
    const known = normaliseFlag(given);
    if (known === undefined) throw new BadCommand(`${given.slice(0, 40)} is no flag that a client can set`);
    return known;
  };
  if (reader.next === '(') return reader.list(flag, 0);
  const flags = [flag()];
  while (reader.take(' ')) flags.push(flag());
  return flags;
}
