import { MailContent } from '../../mail/content.js';
import { uniqueFlags } from '../../mail/flags.js';
import { Refusal } from '../../wire/bad-command.js';
import { parseDateTime } from '../../wire/dates.js';
import { readName } from '../names.js';
import type { Command } from '../command.js';
import { checkRoom } from '../check-room.js';
import { readFlags } from './store.js';

/** APPEND. */
export const append: Command = {
  needs: 'login',
  isCovered: true,
  isChange: true,
  prepare(session, reader) {
    const { store, context } = session;
    reader.space();
    const name = readName(reader.astring('a mailbox'));
    reader.space();
    const flags = reader.next === '(' ? readFlags(reader) : [];
    if (flags.length > 0 || reader.next === ' ') reader.space();
    const date = reader.next === '"' ? parseDateTime(reader.string()) : undefined;
    if (date !== undefined) reader.space();
    // A copy: the literal is part of what the connection has received.
    const raw = Buffer.from(reader.literal());
    reader.end();
    const mailbox = store.find(name);
    return {
      path: name,
      body: raw,
      uses: name,
      mailbox,
      perform() {
        if (mailbox === undefined) throw new Refusal('[TRYCREATE] there is no such mailbox');
        if (raw.includes(0)) throw new Refusal('[CANNOT] a message cannot hold NUL');
        checkRoom(store, 1, raw.length, mailbox);
        if (!mailbox.admits(flags)) throw new Refusal('[LIMIT] a mailbox cannot have that many flags');
        mailbox.isTouched = true;
        const [added] = mailbox.add([
          {
            content: new MailContent(raw),
            date: date ?? context.clock.now(),
            flags: uniqueFlags(flags),
            isRecent: true,
            origin: 'client',
            key: '',
          },
        ]);
        store.watchers.notify(name);
        return { text: `OK [APPENDUID ${mailbox.validity} ${added?.uid ?? 0}] APPEND completed` };
      },
    };
  },
};
