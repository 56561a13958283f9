import { BacklotError, invalid, type DataEntry, type DataSection, type Json } from '@backlot/core/plugin';
import { hasFlag } from '../mail/flags.js';
import { MAX_MAILBOXES, type MailStore } from '../mail/mail-store.js';
import type { Mailbox } from '../mail/mailbox.js';
import { canonicalName, nameProblem } from '../mail/mailbox-name.js';

const INBOX = 'INBOX';

/** The mailboxes that all users share, for people. */
export class MailboxSection implements DataSection {
  readonly #store: MailStore;

  constructor(store: MailStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#store.names().length;
  }

  *entries(): Generator<DataEntry> {
    for (const name of this.#store.names()) yield this.#entry(name);
  }

  find(id: string): DataEntry | undefined {
    const name = canonicalName(id);
    return this.#store.find(name) === undefined ? undefined : this.#entry(name);
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
    const mailbox = this.#store.find(name);
    if (mailbox !== undefined) this.#store.delete(mailbox);
  }

  #entry(name: string): DataEntry {
    return {
      id: name,
      read: () => {
        const mailbox = this.#store.find(name);
        return mailbox === undefined ? undefined : show(mailbox);
      },
    };
  }
}

function show({ name, records, nextUid, validity }: Mailbox): Json {
  return {
    name,
    messages: records.length,
    unseen: records.reduce((count, { flags }) => count + (hasFlag(flags, '\\Seen') ? 0 : 1), 0),
    uid_next: nextUid,
    uid_validity: validity,
  };
}
