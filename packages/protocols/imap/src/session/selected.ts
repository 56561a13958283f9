import type { Mailbox, MailRecord } from '../mail/mailbox.js';

/** A message as one session knows it; its place in the list is its sequence number. */
export interface Entry {
  record: MailRecord;
  /** The flags that the session was told last. */
  told: readonly string[];
  isRecent: boolean;
}

/**
 * The mailbox that a session has selected. What happens in the mailbox reaches the session only by {@link sync}: until
 * then sequence numbers stay what they were.
 */
export class Selected {
  readonly name: string;
  readonly isReadOnly: boolean;
  entries: Entry[] = [];
  #mailbox: Mailbox | undefined;
  #validity = 0;
  #removals = -1;
  #flagChanges = -1;

  constructor(mailbox: Mailbox, isReadOnly: boolean) {
    this.name = mailbox.name;
    this.isReadOnly = isReadOnly;
    this.#follow(mailbox);
    this.#add(mailbox.records);
  }

  get recent(): number {
    return this.entries.reduce((count, { isRecent }) => (isRecent ? count + 1 : count), 0);
  }

  /** FLAGS of a message. */
  flagsOf({ record, isRecent }: Entry): string {
    return `(${isRecent ? [...record.flags, '\\Recent'].join(' ') : record.flags.join(' ')})`;
  }

  /** Whether a message is still there, for commands that change it: the session may not have been told yet. */
  isLive(mailbox: Mailbox): (entry: Entry) => boolean {
    if (mailbox === this.#mailbox && mailbox.removals === this.#removals) return () => true;
    const records = new Set(mailbox.records);
    return ({ record }) => records.has(record);
  }

  /**
   * Takes over what has changed.
   *
   * @param mailbox - as it is now; `undefined` when it is gone
   * @param maySend - `expunge`: sequence numbers may change; `no expunge`: not while a command uses them (RFC 3501, section 7.4.1)
   * @param withUid - whether FETCH responses hold the UID too, as those to UID commands must
   * @returns untagged responses
   */
  sync(mailbox: Mailbox | undefined, maySend: 'expunge' | 'no expunge', withUid = false): string {
    if (this.#isUpToDate(mailbox)) return '';
    let lines = '';
    const isSame = mailbox !== undefined && mailbox.validity === this.#validity;
    const records = mailbox?.records ?? [];
    // While nothing is gone from the mailbox, all that was known is where it was.
    const isOnlyMore = mailbox === this.#mailbox && mailbox?.removals === this.#removals;
    const kept = isOnlyMore ? this.entries : isSame ? this.#keep(records) : [];
    const isComplete = kept.length === this.entries.length;
    if (!isComplete && maySend === 'expunge') lines += this.#expunge(kept);
    if (!isOnlyMore || mailbox.flagChanges !== this.#flagChanges) lines += this.#tellFlags(withUid);
    const mayAdd = isComplete || maySend === 'expunge';
    // Messages that come behind those that are gone can be told at once; anything else has to wait.
    const last = this.entries.at(-1)?.record.uid ?? 0;
    const added = mayAdd ? records.slice(kept.length) : isSame ? records.filter(({ uid }) => uid > last) : [];
    if (added.length > 0) {
      this.#add(added);
      lines += `* ${this.entries.length} EXISTS\r\n* ${this.recent} RECENT\r\n`;
    }
    if (mailbox !== undefined && (isSame || mayAdd)) {
      if (!isSame) lines += `* OK [UIDVALIDITY ${mailbox.validity}] UIDs have changed\r\n`;
      const { removals } = mailbox;
      this.#follow(mailbox);
      this.#removals = mayAdd ? removals : -1;
    } else if (mailbox === undefined && mayAdd) this.#mailbox = undefined;
    return lines;
  }

  #isUpToDate(mailbox: Mailbox | undefined): boolean {
    if (mailbox === undefined) return this.#mailbox === undefined;
    return (
      mailbox === this.#mailbox &&
      mailbox.removals === this.#removals &&
      mailbox.flagChanges === this.#flagChanges &&
      mailbox.records.length === this.entries.length
    );
  }

  /** The entries, from the first on, that stay what and where they are. */
  #keep(records: readonly MailRecord[]): Entry[] {
    const kept: Entry[] = [];
    for (const entry of this.entries) {
      const record = records[kept.length];
      if (record === undefined || record.uid < entry.record.uid) break;
      if (record.uid > entry.record.uid) continue;
      entry.record = record;
      kept.push(entry);
    }
    return kept;
  }

  #expunge(kept: readonly Entry[]): string {
    const stay = new Set(kept);
    let lines = '';
    for (let at = this.entries.length - 1; at >= 0; at -= 1) {
      const entry = this.entries[at];
      if (entry !== undefined && !stay.has(entry)) lines += `* ${at + 1} EXPUNGE\r\n`;
    }
    this.entries = [...kept];
    return lines;
  }

  #tellFlags(withUid: boolean): string {
    let lines = '';
    this.entries.forEach((entry, index) => {
      const { record } = entry;
      if (entry.told === record.flags) return;
      entry.told = record.flags;
      const uid = withUid ? `UID ${record.uid} ` : '';
      lines += `* ${index + 1} FETCH (${uid}FLAGS ${this.flagsOf(entry)})\r\n`;
    });
    return lines;
  }

  #add(records: readonly MailRecord[]): void {
    for (const record of records) {
      const { isRecent } = record;
      this.entries.push({ record, told: record.flags, isRecent });
      if (!this.isReadOnly) record.isRecent = false;
    }
  }

  #follow(mailbox: Mailbox): void {
    this.#mailbox = mailbox;
    this.#validity = mailbox.validity;
    this.#removals = mailbox.removals;
    this.#flagChanges = mailbox.flagChanges;
  }
}
