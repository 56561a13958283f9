import type { DataEntry, DataSection, Json } from '@backlot/core/plugin';
import type { MailStore } from '../mail/mail-store.js';
import type { Mailbox, MailRecord } from '../mail/mailbox.js';
import { canonicalName } from '../mail/mailbox-name.js';

const MAX_SHOWN = 64 * 1024;

/** The messages of the mailboxes that all users share, for people. */
export class MessageSection implements DataSection {
  readonly #store: MailStore;

  constructor(store: MailStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#store.names().reduce((sum, name) => sum + (this.#store.find(name)?.records.length ?? 0), 0);
  }

  *entries(): Generator<DataEntry> {
    for (const name of this.#store.names()) {
      for (const record of this.#store.find(name)?.records ?? []) yield entryOf(name, record);
    }
  }

  find(id: string): DataEntry | undefined {
    const found = this.#find(id);
    return found && entryOf(found.mailbox.name, found.record);
  }

  remove(id: string): void {
    const found = this.#find(id);
    if (found === undefined) return;
    found.mailbox.isTouched = true;
    found.mailbox.remove((record) => record === found.record);
    this.#store.watchers.notify(found.mailbox.name);
  }

  #find(id: string): { readonly mailbox: Mailbox; readonly record: MailRecord } | undefined {
    const [, uid, name = ''] = /^(\d{1,10}):([^]+)$/.exec(id) ?? [];
    const mailbox = uid === undefined ? undefined : this.#store.find(canonicalName(name));
    const record = mailbox?.records.find((each) => each.uid === Number(uid));
    return mailbox === undefined || record === undefined ? undefined : { mailbox, record };
  }
}

function entryOf(mailbox: string, record: MailRecord): DataEntry {
  const { uid, flags, date, content } = record;
  const id = `${uid}:${mailbox}`;
  return {
    id,
    read: (): Json => ({
      id,
      mailbox,
      uid,
      flags: [...flags],
      date: new Date(date).toISOString(),
      size: content.size,
      raw: content.raw.toString('utf8', 0, MAX_SHOWN),
    }),
  };
}
