import { isUtf8 } from 'node:buffer';
import type {
  CapturePieces,
  CaptureStart,
  LazyCapture,
  PiecedAttachment,
  PiecedText,
} from '@backlot/core/plugin';
import type { GivenMail } from '@backlot/kit';
import { findAttachment } from './attachments.js';
import type { LongText } from './mime/decoded-text.js';
import { readShort, type ReadMail } from './read-mail.js';
import type { Mail } from './schemas.js';
import { sourcePieces, sourceStart } from './source-measure.js';

/** What a mail holds in memory beside its text, roughly. */
const MAIL_BYTES = 1000;

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

  /** What it holds in memory, roughly. */
  get bytes(): number {
    const { raw } = this.#facts;
    if (this.#read === undefined) return MAIL_BYTES + raw.length;
    const keepsText = Object.values(this.#read.long ?? {}).some((text: LongText) => text.isKept);
    return MAIL_BYTES + (keepsText ? 2 : 1) * raw.length;
  }

  capture(): Mail {
    const { raw } = this.#facts;
    const read = this.#read ?? readShort(raw);
    const encoding = isUtf8(raw) ? 'utf8' : 'base64';
    return this.#show(read, read.parts, { encoding, body: raw.toString(encoding) });
  }

  captureStart(most: number): CaptureStart<Mail> {
    const { raw } = this.#facts;
    const read = this.#read;
    if (read?.source === undefined || raw.length <= most / 2) return { shown: this.capture(), lengths: {} };
    const { source, parts, long = {} } = read;
    // One character more shows that there are more.
    const wanted = most + 1;
    const texts: [string, LongText][] = Object.entries(long);
    const shown = withTexts(
      parts,
      texts.map(([name, text]) => [name, text.start(wanted)]),
    );
    return {
      shown: this.#show(read, shown, {
        encoding: source.encoding,
        body: sourceStart(raw, source, wanted),
      }),
      lengths: {
        body: source.length,
        ...Object.fromEntries(texts.map(([name, { length }]) => [name, length])),
      },
    };
  }

  capturePieces(): CapturePieces<Mail> {
    const { raw } = this.#facts;
    const read = this.#read;
    if (read?.source === undefined) return { shown: this.capture(), texts: {} };
    const { source, parts, long = {} } = read;
    const texts: [string, PiecedText][] = Object.entries(long);
    const shown = withTexts(
      parts,
      texts.map(([name]) => [name, '']),
    );
    const body = { length: source.length, pieces: () => sourcePieces(raw, source) };
    return {
      shown: this.#show(read, shown, { encoding: source.encoding, body: '' }),
      texts: { body, ...Object.fromEntries(texts) },
    };
  }

  captureAttachment(index: number): PiecedAttachment | undefined | Promise<PiecedAttachment | undefined> {
    const { raw } = this.#facts;
    const { parts } = this.#read ?? readShort(raw);
    return findAttachment(raw, parts.attachments, index);
  }

  #show(
    { subject = '', headers }: ReadMail,
    parts: ReadMail['parts'],
    { encoding, body }: { readonly encoding: 'utf8' | 'base64'; readonly body: string },
  ): Mail {
    const { id, from, to, receivedAt } = this.#facts;
    return {
      id,
      from,
      to: [...to],
      subject,
      body,
      ...(encoding === 'utf8' ? {} : { body_encoding: 'base64' }),
      received_at: new Date(receivedAt).toISOString(),
      headers: headers as Mail['headers'],
      ...parts,
    };
  }
}

/** What was read with other texts. By its descriptors, so that no long text is made as a whole. */
function withTexts(
  parts: ReadMail['parts'],
  texts: readonly (readonly [name: string, text: string])[],
): ReadMail['parts'] {
  const shown = Object.defineProperties({}, Object.getOwnPropertyDescriptors(parts)) as ReadMail['parts'];
  for (const [name, value] of texts) Object.defineProperty(shown, name, { value, enumerable: true });
  return shown;
}
