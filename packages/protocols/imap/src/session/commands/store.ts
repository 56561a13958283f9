import { changeFlags, normaliseFlag } from '../../mail/flags.js';
import { BadCommand, Refusal } from '../../wire/bad-command.js';
import type { CommandReader } from '../../wire/command-reader.js';
import { SequenceSet } from '../../wire/sequence-set.js';
import type { Command } from '../command.js';
import { pickMessages, requireWritable, selectedMailbox } from '../pick-messages.js';

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
          // What others have changed first: the response is about this change alone.
          let lines = selected.sync(mailbox, 'no expunge', byUid);
          const isLive = selected.isLive(mailbox);
          let areGone = false;
          for (const { number, entry } of picked) {
            const { record } = entry;
            if (!isLive(entry)) {
              areGone = true;
              continue;
            }
            const changed = changeFlags(record.flags, how, flags);
            if (changed === undefined) {
              session.send(lines);
              throw new Refusal('[LIMIT] a message cannot have that many flags');
            }
            mailbox.isTouched = true;
            mailbox.setFlags(record, changed);
            entry.told = record.flags;
            const uid = byUid ? `UID ${record.uid} ` : '';
            if (silent === undefined)
              lines += `* ${number} FETCH (${uid}FLAGS ${selected.flagsOf(entry)})\r\n`;
          }
          if (lines !== '') session.send(lines);
          session.store.watchers.notify(mailbox.name);
          const text = areGone ? 'NO [EXPUNGEISSUED] some of the messages are gone' : `OK ${name} completed`;
          return { text, sync, withUid: byUid };
        },
      };
    },
  };
}

/** Flags in parentheses, or, for STORE, without them. @throws BadCommand */
export function readFlags(reader: CommandReader): readonly string[] {
  const flag = (): string => {
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
