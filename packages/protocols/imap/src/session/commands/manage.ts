import { DELIMITER, nameProblem } from '../../mail/mailbox-name.js';
import type { Mailbox } from '../../mail/mailbox.js';
import type { UserMail } from '../../mail/user-mail.js';
import { Refusal } from '../../wire/bad-command.js';
import { printable } from '../../wire/command-reader.js';
import { readName } from '../names.js';
import type { Command } from '../command.js';

const INBOX = 'INBOX';

/** CREATE. */
export const create: Command = onName((store, name) => {
  checkNew(store, name);
  store.create(name);
});

/** DELETE. */
export const deleteMailbox: Command = onName((store, name) => {
  if (name === INBOX) throw new Refusal('[CANNOT] INBOX cannot be deleted');
  store.delete(findExisting(store, name));
});

/** SUBSCRIBE. */
export const subscribe: Command = onName((store, name) => {
  findExisting(store, name);
  store.subscribe(name, true);
});

/** UNSUBSCRIBE. */
export const unsubscribe: Command = onName((store, name) => store.subscribe(name, false));

/** RENAME; what stands below the mailbox moves along. That of INBOX takes its messages out (RFC 3501, section 6.3.5). */
export const rename: Command = {
  needs: 'login',
  isCovered: true,
  isChange: true,
  prepare(session, reader) {
    reader.space();
    const from = readName(reader.astring('a mailbox'));
    reader.space();
    const to = readName(reader.astring('a mailbox'));
    reader.end();
    const { store } = session;
    return {
      path: from,
      perform() {
        const below = store
          .names()
          .filter((name) => from !== INBOX && name.startsWith(`${from}${DELIMITER}`));
        if (below.length === 0) findExisting(store, from);
        checkNew(store, to);
        if (to.startsWith(`${from}${DELIMITER}`))
          throw new Refusal('[CANNOT] a mailbox cannot be moved below itself');
        for (const name of [from, ...below]) {
          const mailbox = store.find(name);
          if (mailbox !== undefined) moveMailbox(store, mailbox, to + name.slice(from.length));
        }
        return { text: 'OK RENAME completed' };
      },
    };
  },
};

function onName(act: (store: UserMail, name: string) => void): Command {
  return {
    needs: 'login',
    isCovered: true,
    isChange: true,
    prepare(session, reader) {
      reader.space();
      const name = readName(reader.astring('a mailbox'));
      reader.end();
      return {
        path: name,
        perform(job) {
          act(session.store, name);
          return { text: `OK ${job.name} completed` };
        },
      };
    },
  };
}

function findExisting(store: UserMail, name: string): Mailbox {
  const mailbox = store.find(name);
  if (mailbox === undefined) throw new Refusal('[NONEXISTENT] there is no such mailbox');
  return mailbox;
}

function checkNew(store: UserMail, name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new Refusal(`[CANNOT] ${problem.replace(/[^\x20-\x7e]/g, '?')}`);
  if (store.find(name) !== undefined) throw new Refusal(`[ALREADYEXISTS] ${printable(name)} exists already`);
  if (store.isFull) throw new Refusal('[LIMIT] there are too many mailboxes');
}

function moveMailbox(store: UserMail, mailbox: Mailbox, to: string): void {
  const isSubscribed = store.isSubscribed(mailbox.name);
  const moved = store.find(to) ?? store.create(to);
  moved.add(mailbox.records.map(({ uid: _uid, ...mail }) => ({ ...mail, origin: 'client' as const })));
  store.subscribe(to, isSubscribed);
  if (mailbox.name !== INBOX) return store.delete(mailbox);
  mailbox.isTouched = true;
  mailbox.remove(() => true);
  store.watchers.notify(INBOX);
}
