import { isUtf8 } from 'node:buffer';
import type { LazyCapture } from '@backlot/core/plugin';
import type { GivenMail } from '@backlot/kit';
import { readShort, type ReadMail } from './read-mail.js';
import type { Mail } from './schemas.js';

/** What a mail holds in memory beside its text, roughly. */
export const MAIL_BYTES = 1000;

/** What the envelope and the server say of a mail. */
interface Facts {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

interface Packed extends Facts {
  readonly read: ReadMail | undefined;
}

/** A mail that was taken. What people see is made when somebody looks: most are dropped unread. */
export class CapturedMail implements LazyCapture<Mail> {
  readonly #facts: Facts;
  readonly #read: ReadMail | undefined;

  /** @param read - what was read of the mail; absent for a short one, which is read when somebody looks */
  constructor(facts: Facts, read: ReadMail | undefined) {
    this.#facts = facts;
    this.#read = read;
  }

  /** As it passes to another process, where IMAP shows it. */
  static pack(mail: CapturedMail): Packed {
    return { ...mail.#facts, read: mail.#read };
  }

  /** Takes back {@link pack}. */
  static unpack(packed: unknown): CapturedMail {
    const { read, ...facts } = packed as Packed;
    return new CapturedMail(facts, read);
  }

  get captureId(): string {
    return this.#facts.id;
  }

  get given(): GivenMail {
    const { id, to, raw, receivedAt } = this.#facts;
    return { id, recipients: to, raw, receivedAt };
  }

  capture(): Mail {
    const { id, from, to, raw, receivedAt } = this.#facts;
    const { subject = '', headers, parts } = this.#read ?? readShort(raw);
    const isText = isUtf8(raw);
    return {
      id,
      from,
      to: [...to],
      subject,
      body: raw.toString(isText ? 'utf8' : 'base64'),
      ...(isText ? {} : { body_encoding: 'base64' }),
      received_at: new Date(receivedAt).toISOString(),
      headers: headers as Mail['headers'],
      ...parts,
    };
  }
}
