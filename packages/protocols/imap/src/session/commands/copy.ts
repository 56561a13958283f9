import { runInSlices } from '@backlot/core/plugin';
import type { Mailbox, MailRecord } from '../../mail/mailbox.js';
import { Refusal } from '../../wire/bad-command.js';
import { SequenceSet, writeSequenceSet } from '../../wire/sequence-set.js';
import { checkRoom } from '../check-room.js';
import { readName } from '../names.js';
import type { Command } from '../command.js';
import type { Done } from '../job.js';
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
          const isLive = target.selected.isLive(from);
          if (!picked.every(({ entry }) => isLive(entry))) {
            throw new Refusal('[EXPUNGEISSUED] some of the messages are gone');
          }
          if (picked.length === 0) return { text: `OK ${job.name} completed` };
          const records = picked.map(({ entry }) => entry.record);
          const bytes = records.reduce((sum, { content }) => sum + content.size, 0);
          checkRoom(store, records.length, bytes, to);
          const flagged = new Set(records.flatMap(({ flags }) => flags));
          if (!to.admits([...flagged])) throw new Refusal('[LIMIT] a mailbox cannot have that many flags');
          const finish = (added: readonly MailRecord[]): Done => {
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
          };
          const added = runInSlices(addCopies(to, records));
          if (!(added instanceof Promise)) return finish(added);
          store.reserved.messages += records.length;
          store.reserved.bytes += bytes;
          return added.then(finish).finally(() => {
            store.reserved.messages -= records.length;
            store.reserved.bytes -= bytes;
          });
        },
      };
    },
  };
}

/** Yields now and then, see `runInSlices`. */
function* addCopies(to: Mailbox, records: readonly MailRecord[]): Generator<undefined, MailRecord[]> {
  const added: MailRecord[] = [];
  to.isTouched = true;
  for (const { content, date, flags } of records) {
    const copies = to.add([{ content, date, flags, isRecent: true, origin: 'client', key: '' }]);
    added.push(...copies);
    yield;
  }
  return added;
}
