import { changeFlags } from '../mail/flags.js';
import type { MailRecord } from '../mail/mailbox.js';
import type { UserMail } from '../mail/user-mail.js';
import { BadCommand, Refusal } from '../wire/bad-command.js';

const INBOX = 'INBOX';
const SEEN = '\\Seen';
const NUMBER = /^[1-9]\d{0,9}$/;

/** The INBOX of a user as it was at the login (RFC 1939, 4): messages keep their numbers until the session ends. */
export class Maildrop {
  readonly #store: UserMail;
  readonly #records: readonly MailRecord[];
  readonly #validity: number;
  readonly #deleted = new Set<MailRecord>();

  constructor(store: UserMail) {
    const inbox = store.find(INBOX);
    this.#store = store;
    // The list of a mailbox grows at its end.
    this.#records = [...(inbox?.records ?? [])];
    this.#validity = inbox?.validity ?? 0;
  }

  /** The messages that are not marked as deleted, with their numbers. */
  *messages(): Generator<{ readonly number: number; readonly record: MailRecord }> {
    for (const [index, record] of this.#records.entries())
      if (!this.#deleted.has(record)) yield { number: index + 1, record };
  }

  /** A message by the number that a client gives. @throws BadCommand, Refusal */
  pick(argument: string): MailRecord {
    if (!NUMBER.test(argument)) throw new BadCommand(`got "${argument}", want the number of a message`);
    const record = this.#records[Number(argument) - 1];
    if (record === undefined)
      throw new Refusal(`there is no message ${argument}, only ${this.#records.length} in the maildrop`);
    if (this.#deleted.has(record)) throw new Refusal(`message ${argument} is marked as deleted`);
    return record;
  }

  /** The unique id of a message (RFC 1939, 7). */
  idOf({ uid }: MailRecord): string {
    return `${this.#validity}.${uid}`;
  }

  delete(record: MailRecord): void {
    this.#deleted.add(record);
  }

  undelete(): void {
    this.#deleted.clear();
  }

  /** A message has been read, as the other protocol shows. */
  markSeen(record: MailRecord): void {
    const inbox = this.#store.find(INBOX);
    const flags = record.flags.includes(SEEN) ? undefined : changeFlags(record.flags, 'add', [SEEN]);
    if (flags === undefined || inbox?.validity !== this.#validity) return;
    inbox.isTouched = true;
    inbox.setFlags(record, flags);
    this.#store.watchers.notify(INBOX);
  }

  /** Removes what is marked as deleted, as far as it is still there. */
  update(): void {
    const inbox = this.#store.find(INBOX);
    if (this.#deleted.size === 0 || inbox === undefined) return;
    const before = inbox.removals;
    inbox.remove((record) => this.#deleted.has(record));
    if (inbox.removals === before) return;
    inbox.isTouched = true;
    this.#store.watchers.notify(INBOX);
  }
}
