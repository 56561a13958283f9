import { Refusal } from '../../wire/bad-command.js';
import { SequenceSet, writeSequenceSet } from '../../wire/sequence-set.js';
import { checkRoom } from '../check-room.js';
import { readName } from '../names.js';
import type { Command } from '../command.js';
import { pickMessages, requireMailbox, requireWritable, selectedMailbox } from '../pick-messages.js';

/** COPY. */
export const copy: Command = makeCopy(false, false);
/** UID COPY. */
export const uidCopy: Command = makeCopy(true, false);
/** MOVE (RFC 6851). */
export const move: Command = makeCopy(false, true);
/** UID MOVE. */
export const uidMove: Command = makeCopy(true, true);

function makeCopy(byUid: boolean, isMove: boolean): Command {
  return {
    needs: 'mailbox',
    isCovered: true,
    isChange: true,
    prepare(session, reader) {
      const { store } = session;
      reader.space();
      const set = new SequenceSet(reader.sequenceSet());
      reader.space();
      const name = readName(reader.astring('a mailbox'));
      reader.end();
      const target = selectedMailbox(session);
      return {
        ...target,
        perform(job) {
          const from = isMove ? requireWritable(target) : requireMailbox(target.mailbox);
          const to = store.find(name);
          if (to === undefined) throw new Refusal('[TRYCREATE] there is no such mailbox');
          const picked = pickMessages(target.selected, set, byUid);
          if (!picked.every(({ entry }) => target.selected.isLive(from)(entry))) {
            throw new Refusal('[EXPUNGEISSUED] some of the messages are gone');
          }
          if (picked.length === 0) return { text: `OK ${job.name} completed` };
          const records = picked.map(({ entry }) => entry.record);
          checkRoom(
            store,
            records.length,
            records.reduce((sum, { content }) => sum + content.raw.length, 0),
            to,
          );
          to.isTouched = true;
          const added = to.add(
            records.map(({ content, date, flags }) => ({
              content,
              date,
              flags,
              isRecent: true,
              origin: 'client' as const,
              key: '',
            })),
          );
          const uids = (list: readonly { readonly uid: number }[]): string =>
            writeSequenceSet(list.map(({ uid }) => uid));
          const code = `[COPYUID ${to.validity} ${uids(records)} ${uids(added)}]`;
          if (isMove) {
            session.send(`* OK ${code} moved\r\n`);
            const moved = new Set(records);
            from.isTouched = true;
            from.remove((record) => moved.has(record));
            store.watchers.notify(from.name);
          }
          store.watchers.notify(to.name);
          return { text: isMove ? `OK ${job.name} completed` : `OK ${code} ${job.name} completed` };
        },
      };
    },
  };
}
