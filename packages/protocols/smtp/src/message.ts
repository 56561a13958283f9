import type { Message } from '@backlot/core/plugin';
import { isWhole, NOTHING_READ, readShort, type ReadHead, type ReadMail } from './read-mail.js';

const NO_BYTES = Buffer.alloc(0);
/** Of a longer message patterns see so many bytes; its text is made at once. */
const MAX_SOURCE = 16 * 1024 * 1024;

/**
 * A mail transaction as rules, templates and the journal see it. It fills up while the client goes from MAIL to the end
 * of the data: what was not known becomes known, what is known never changes.
 */
export class MailMessage implements Message {
  readonly method = 'MAIL';
  readonly remote: string;
  /** The sender of the envelope, `""` for a bounce. */
  readonly from: string;
  #recipients: readonly string[] | undefined;
  #raw: Buffer = NO_BYTES;
  #head: ReadHead | undefined;
  /** What was decoded for rules and templates, and the message as a text, until it is decided. */
  #decoded: { contents?: ReadMail; source?: string; text?: string; html?: string } | undefined = {};

  constructor(from: string, remote: string, recipients?: readonly string[]) {
    this.from = from;
    this.remote = remote;
    this.#recipients = recipients;
  }

  /** The recipients of the envelope, undefined before the first of them. */
  get recipients(): readonly string[] | undefined {
    return this.#recipients;
  }

  /** Whether the data has come, so that there is no more to wait for. */
  get isComplete(): boolean {
    return this.#head !== undefined;
  }

  /** The decoded subject; undefined as well in a mail that has none. */
  get subject(): string | undefined {
    return this.#head?.subject;
  }

  /** `from -> to, to`. */
  get path(): string {
    const to = (this.#recipients ?? []).join(', ');
    return `${this.from === '' ? '<>' : this.from} ->${to === '' ? '' : ` ${to}`}`;
  }

  /** The message as it came; empty before the end of the data. */
  get body(): Buffer {
    return this.#raw;
  }

  get headers(): Readonly<Record<string, string | readonly string[]>> {
    return this.contents.headers;
  }

  /** Headers, texts and attachments, decoded when somebody asks: of a short mail, few do. */
  get contents(): ReadMail {
    const head = this.#head;
    if (head === undefined) return NOTHING_READ;
    if (isWhole(head)) return head;
    const contents = this.#decoded?.contents ?? readShort(this.#raw);
    if (this.#decoded !== undefined) this.#decoded.contents = contents;
    return contents;
  }

  /** A text of the mail; undefined when it has none. */
  textOf(name: 'text' | 'html'): string | undefined {
    const text = this.#decoded?.[name] ?? this.contents.parts[name];
    if (this.#decoded !== undefined && text !== undefined) this.#decoded[name] = text;
    return text;
  }

  /** Makes the long texts of a mail that has come, for rules that ask for them. Yields now and then, see `runInSlices`. */
  *makeTexts(): Generator<undefined, void> {
    const { long = {} } = this.contents;
    for (const name of ['text', 'html'] as const) {
      const text = long[name];
      if (text === undefined) continue;
      const pieces: string[] = [];
      for (const piece of text.pieces()) {
        pieces.push(piece);
        yield;
      }
      if (this.#decoded !== undefined) this.#decoded[name] = pieces.join('');
      yield;
    }
  }

  /** The message as it came, as a text; of a long one the first 16 MiB. */
  get source(): string {
    const source = this.#decoded?.source ?? this.#raw.toString('utf8', 0, MAX_SOURCE);
    if (this.#decoded !== undefined) this.#decoded.source = source;
    return source;
  }

  get size(): number {
    return this.#head?.headBytes ?? 0;
  }

  get extras(): Readonly<Record<string, unknown>> {
    const recipients = this.#recipients ?? [];
    const textOf = (name: 'text' | 'html'): string => this.textOf(name) ?? '';
    const attachments = (): ReadMail['parts']['attachments'] => this.contents.parts.attachments;
    return {
      from: this.from,
      to: recipients.join(', '),
      recipients,
      subject: this.subject ?? '',
      get text() {
        return textOf('text');
      },
      get html() {
        return textOf('html');
      },
      get attachments() {
        return attachments();
      },
    };
  }

  /** The recipients are known. */
  address(recipients: readonly string[]): void {
    this.#recipients = recipients;
  }

  /** The data has come; without `raw` it was not kept. */
  complete(recipients: readonly string[], raw: Buffer | undefined, head: ReadHead): void {
    this.#recipients = recipients;
    this.#raw = raw ?? NO_BYTES;
    this.#head = head;
  }

  /** It is decided: the journal keeps many messages, and shows few, so that what was decoded is let go. */
  settle(): void {
    this.#decoded = undefined;
  }
}

/** Asks which rule is the first for a transaction as far as it has come, without anything being counted. */
export class Question extends MailMessage {
  /** Whether the first rule that fits, or may still fit, refuses; undefined while there is none. */
  isRefused: boolean | undefined;
}
