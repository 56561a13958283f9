import type { MailRecord } from '../../mail/mailbox.js';
import { SequenceSet } from '../../wire/sequence-set.js';
import type { Command } from '../command.js';
import { pickMessages, requireWritable, selectedMailbox } from '../pick-messages.js';
import type { CommandContext } from '../command-context.js';

const DELETED = '\\Deleted';

/** EXPUNGE. */
export const expunge: Command = {
  needs: 'mailbox',
  isCovered: true,
  isChange: true,
  prepare(session, reader) {
    reader.end();
    const target = selectedMailbox(session);
    return {
      ...target,
      perform() {
        const mailbox = requireWritable(target);
        const known = new Set(target.selected.entries.map(({ record }) => record));
        removeDeleted(session, mailbox, (record) => known.has(record));
        return { text: 'OK EXPUNGE completed' };
      },
    };
  },
};

/** UID EXPUNGE (RFC 4315). */
export const uidExpunge: Command = {
  needs: 'mailbox',
  isCovered: true,
  isChange: true,
  prepare(session, reader) {
    reader.space();
    const set = new SequenceSet(reader.sequenceSet());
    reader.end();
    const target = selectedMailbox(session);
    return {
      ...target,
      perform() {
        const mailbox = requireWritable(target);
        const picked = new Set(pickMessages(target.selected, set, true).map(({ entry }) => entry.record));
        removeDeleted(session, mailbox, (record) => picked.has(record));
        return { text: 'OK UID EXPUNGE completed' };
      },
    };
  },
};

/** CLOSE: expunges without a word, then nothing is selected. */
export const close: Command = {
  needs: 'mailbox',
  prepare(session, reader) {
    reader.end();
    const { selected, mailbox, path } = selectedMailbox(session);
    return {
      path,
      perform(_job, isCurrent) {
        if (isCurrent && !selected.isReadOnly && mailbox !== undefined) {
          removeDeleted(session, mailbox, () => true);
        }
        session.unselect();
        return { text: 'OK CLOSE completed', sync: 'nothing' };
      },
    };
  },
};

/** UNSELECT (RFC 3691): as CLOSE, but nothing is expunged. */
export const unselect: Command = {
  needs: 'mailbox',
  prepare(session, reader) {
    reader.end();
    const { path } = selectedMailbox(session);
    return {
      path,
      perform() {
        session.unselect();
        return { text: 'OK UNSELECT completed', sync: 'nothing' };
      },
    };
  },
};

function removeDeleted(
  { store }: CommandContext,
  mailbox: NonNullable<ReturnType<typeof selectedMailbox>['mailbox']>,
  isMeant: (record: MailRecord) => boolean,
): void {
  const before = mailbox.removals;
  mailbox.remove((record) => record.flags.includes(DELETED) && isMeant(record));
  if (mailbox.removals === before) return;
  mailbox.isTouched = true;
  store.watchers.notify(mailbox.name);
}
