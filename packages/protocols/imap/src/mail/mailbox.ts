import type { CompiledMailbox } from '../compiled.js';
import type { MailContent } from './content.js';
import { sameFlags } from './flags.js';

/** Keywords that clients have given to messages of one mailbox, since it was made. */
const MAX_KEYWORDS = 1000;

/** A message in a mailbox. */
export interface MailRecord {
  readonly uid: number;
  readonly content: MailContent;
  /** INTERNALDATE, in ms since 1970. */
  readonly date: number;
  /** Replaced as a whole when it changes; without `\Recent`. */
  flags: readonly string[];
  /** Whether no session has been told of it yet. */
  isRecent: boolean;
  readonly origin: 'mock' | 'client' | 'capture';
  /** Which message of the mock, or which captured message it is. */
  readonly key: string;
}

/** What a new message is made of. */
export type NewMail = Omit<MailRecord, 'uid'>;

/** A snapshot of a mailbox; its records are copies. */
export interface SavedMailbox {
  readonly name: string;
  readonly validity: number;
  readonly nextUid: number;
  readonly records: readonly MailRecord[];
  readonly source: CompiledMailbox | undefined;
  readonly isHidden: boolean;
  readonly isTouched: boolean;
  readonly taken: readonly string[];
}

/** A mailbox as clients see it: what its mock says, and what they have changed since. */
export class Mailbox {
  readonly name: string;
  /** UIDVALIDITY. */
  validity: number;
  nextUid = 1;
  /** The mock that it stands for; `undefined` for one that a client made, and for an INBOX without a mock. */
  source: CompiledMailbox | undefined;
  /** Whether a client has deleted it. */
  isHidden = false;
  /** Whether a client has changed anything. */
  isTouched = false;
  /** Captured messages that were put in, those removed since included. */
  readonly taken = new Set<string>();
  /** Bytes of the messages that clients have added. */
  clientBytes = 0;
  /** Counts every change but that of adding messages at the end. */
  removals = 0;
  /** Counts changes of flags. */
  flagChanges = 0;
  #records: MailRecord[] = [];
  readonly #keywords = new Set<string>();

  constructor(name: string, validity: number, source: CompiledMailbox | undefined) {
    this.name = name;
    this.validity = validity;
    this.source = source;
  }

  /** In ascending order of their UIDs. The list grows at its end, and is another one after anything else. */
  get records(): readonly MailRecord[] {
    return this.#records;
  }

  /** Whether messages may be given these flags: a mailbox has so many keywords, and no more. */
  admits(flags: readonly string[]): boolean {
    const fresh = flags.filter((flag) => !flag.startsWith('\\') && !this.#keywords.has(flag));
    if (this.#keywords.size + fresh.length > MAX_KEYWORDS) return false;
    for (const flag of fresh) this.#keywords.add(flag);
    return true;
  }

  /** Adds messages at the end; a message whose UID is given must be above all others. */
  add(mails: readonly (NewMail & { readonly uid?: number | undefined })[]): readonly MailRecord[] {
    const added = mails.map((mail) => {
      const uid = mail.uid ?? this.nextUid;
      this.nextUid = uid + 1;
      return { ...mail, uid };
    });
    for (const record of added) this.#records.push(record);
    this.clientBytes += bytesOf(added);
    return added;
  }

  /** Takes messages out. */
  remove(isGone: (record: MailRecord) => boolean): void {
    const kept = this.records.filter((record) => !isGone(record));
    if (kept.length === this.records.length) return;
    this.#records = kept;
    this.clientBytes = bytesOf(kept);
    this.removals += 1;
  }

  /** Forgets all messages; UIDs begin anew, under a new UIDVALIDITY. */
  clear(validity: number): void {
    this.#records = [];
    this.#keywords.clear();
    this.clientBytes = 0;
    this.removals += 1;
    this.nextUid = 1;
    this.validity = validity;
    this.taken.clear();
  }

  setFlags(record: MailRecord, flags: readonly string[]): void {
    if (sameFlags(record.flags, flags)) return;
    record.flags = flags;
    this.flagChanges += 1;
  }

  save(): SavedMailbox {
    const { name, validity, nextUid, source, isHidden, isTouched } = this;
    const records = this.records.map((record) => ({ ...record }));
    return { name, validity, nextUid, records, source, isHidden, isTouched, taken: [...this.taken] };
  }

  static restore(saved: SavedMailbox): Mailbox {
    const mailbox = new Mailbox(saved.name, saved.validity, saved.source);
    mailbox.nextUid = saved.nextUid;
    mailbox.#records = saved.records.map((record) => ({ ...record }));
    mailbox.clientBytes = bytesOf(mailbox.records);
    mailbox.isHidden = saved.isHidden;
    mailbox.isTouched = saved.isTouched;
    for (const id of saved.taken) mailbox.taken.add(id);
    return mailbox;
  }
}

function bytesOf(records: readonly MailRecord[]): number {
  let bytes = 0;
  for (const { content, origin } of records) if (origin === 'client') bytes += content.raw.length;
  return bytes;
}
