import { BacklotError, invalid, type DataEntry, type DataSection, type Json } from '@backlot/core/plugin';
import { hasFlag } from '../mail/flags.js';
import { MAX_MAILBOXES, type MailStore } from '../mail/mail-store.js';
import { canonicalName, nameProblem } from '../mail/mailbox-name.js';
import { findMailbox, mailboxIds, type ShownMailbox } from './shown-mailboxes.js';

const INBOX = 'INBOX';

/** The mailboxes that all users share and those of users, for people. */
export class MailboxSection implements DataSection {
  readonly #store: MailStore;

  constructor(store: MailStore) {
    this.#store = store;
  }

  get size(): number {
    return mailboxIds(this.#store).length;
  }

  *entries(): Generator<DataEntry> {
    for (const id of mailboxIds(this.#store)) yield this.#entry(id);
  }

  find(id: string): DataEntry | undefined {
    const found = findMailbox(this.#store, id);
    return found && this.#entry(found.id);
  }

  put(given: Json): string {
    const name = canonicalName(String(given['name']));
    const problem = nameProblem(name);
    if (problem !== undefined) throw invalid(problem, [{ path: '/name', message: problem }]);
    if (this.#store.find(name) === undefined) {
      if (this.#store.isFull)
        throw new BacklotError('too_large', `there are ${MAX_MAILBOXES} mailboxes already`);
      this.#store.create(name);
    }
    return name;
  }

  remove(id: string): void {
    const name = canonicalName(id);
    if (name === INBOX) throw new BacklotError('conflict', 'INBOX cannot be deleted');
    const found = findMailbox(this.#store, id);
    if (found?.user !== undefined) throw new BacklotError('conflict', "a user's INBOX cannot be deleted");
    if (found !== undefined) this.#store.delete(found.mailbox);
  }

  #entry(id: string): DataEntry {
    return {
      id,
      read: () => {
        const found = findMailbox(this.#store, id);
        return found && show(found);
      },
    };
  }
}

function show({ id, user, mailbox: { records, nextUid, validity } }: ShownMailbox): Json {
  return {
    name: id,
    ...(user === undefined ? {} : { user }),
    messages: records.length,
    unseen: records.reduce((count, { flags }) => count + (hasFlag(flags, '\\Seen') ? 0 : 1), 0),
    uid_next: nextUid,
    uid_validity: validity,
  };
}
