import { Refusal } from '../../wire/bad-command.js';
import type { Mailbox } from '../../mail/mailbox.js';
import { readName, writeName } from '../names.js';
import type { Command } from '../command.js';

const ITEMS = new Map<string, (mailbox: Mailbox) => number>([
  ['MESSAGES', ({ records }) => records.length],
  ['RECENT', ({ records }) => records.filter(({ isRecent }) => isRecent).length],
  ['UIDNEXT', ({ nextUid }) => nextUid],
  ['UIDVALIDITY', ({ validity }) => validity],
  ['UNSEEN', ({ records }) => records.filter(({ flags }) => !flags.includes('\\Seen')).length],
]);

/** STATUS. */
export const status: Command = {
  needs: 'login',
  isCovered: true,
  prepare(session, reader) {
    reader.space();
    const name = readName(reader.astring('a mailbox'));
    reader.space();
    const items = reader.list((): readonly [string, (mailbox: Mailbox) => number] => {
      const item = reader.word('an item of STATUS');
      const read = ITEMS.get(item) ?? reader.fail(`an item of STATUS, not ${item.slice(0, 40)}`);
      return [item, read];
    });
    reader.end();
    const mailbox = session.store.find(name);
    return {
      path: name,
      uses: name,
      mailbox,
      perform() {
        if (mailbox === undefined) throw new Refusal('[NONEXISTENT] there is no such mailbox');
        // Counted once, however often it is asked for.
        const counts = new Map([...new Map(items)].map(([item, read]) => [item, read(mailbox)]));
        const values = items.map(([item]) => `${item} ${counts.get(item) ?? 0}`);
        session.send(`* STATUS ${writeName(name)} (${values.join(' ')})\r\n`);
        return { text: 'OK STATUS completed' };
      },
    };
  },
};

/** NAMESPACE (RFC 2342): one, without a prefix. */
export const namespace: Command = {
  needs: 'login',
  prepare(session, reader) {
    reader.end();
    return {
      perform() {
        session.send('* NAMESPACE (("" "/")) NIL NIL\r\n');
        return { text: 'OK NAMESPACE completed' };
      },
    };
  },
};
