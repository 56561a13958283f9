import type { DataEntry, DataSection, Json } from '@backlot/core/plugin';
import type { MailStore } from '../mail/mail-store.js';
import type { MailRecord } from '../mail/mailbox.js';
import { findMailbox, mailboxIds, type ShownMailbox } from './shown-mailboxes.js';

const MAX_SHOWN = 64 * 1024;

/** The messages of all mailboxes, for people. */
export class MessageSection implements DataSection {
  readonly #store: MailStore;

  constructor(store: MailStore) {
    this.#store = store;
  }

  get size(): number {
    const ids = mailboxIds(this.#store);
    return ids.reduce((sum, id) => sum + (findMailbox(this.#store, id)?.mailbox.records.length ?? 0), 0);
  }

  *entries(): Generator<DataEntry> {
    for (const id of mailboxIds(this.#store)) {
      const found = findMailbox(this.#store, id);
      if (found === undefined) continue;
      for (const record of found.mailbox.records) yield entryOf(found, record);
    }
  }

  find(id: string): DataEntry | undefined {
    const found = this.#find(id);
    return found && entryOf(found.shown, found.record);
  }

  remove(id: string): void {
    const found = this.#find(id);
    if (found === undefined) return;
    const { mailbox } = found.shown;
    mailbox.isTouched = true;
    mailbox.remove((record) => record === found.record);
    this.#store.watchers.notify(mailbox.name);
  }

  #find(id: string): { readonly shown: ShownMailbox; readonly record: MailRecord } | undefined {
    const [, uid, name = ''] = /^(\d{1,10}):([^]+)$/.exec(id) ?? [];
    const shown = uid === undefined ? undefined : findMailbox(this.#store, name);
    const record = shown?.mailbox.records.find((each) => each.uid === Number(uid));
    return shown === undefined || record === undefined ? undefined : { shown, record };
  }
}

function entryOf({ id: place, user }: ShownMailbox, record: MailRecord): DataEntry {
  const { uid, flags, date, content } = record;
  const id = `${uid}:${place}`;
  return {
    id,
    read: (): Json => ({
      id,
      mailbox: place,
      ...(user === undefined ? {} : { user }),
      uid,
      flags: [...flags],
      date: new Date(date).toISOString(),
      size: content.size,
      raw: content.raw.toString('utf8', 0, MAX_SHOWN),
    }),
  };
}
