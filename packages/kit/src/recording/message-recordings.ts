import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import { redactStringSteps } from './redact-json.js';
import { isSecretName, REDACTED, redactText } from './secrets.js';
import { literal, patternOf, type PatternNote } from './value-pattern.js';

/** A longer content is not looked through, and no mock gives it. */
const MAX_KEPT = 2 * 1024 * 1024;
/** A longer content of a message that is answered is not compared. */
const MAX_COMPARED = 64 * 1024;

/** What a recorded mock asks of a message. */
export interface RecordedMatch {
  /** Equal for messages that one mock is for. */
  readonly key: string;
  /** What the id of the mock is made of. */
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  /** What is not compared as it came, and by which rule. */
  readonly patterns: readonly string[];
}

/** How a kind of messaging differs from others in what is recorded of its messages. */
export interface MessageForm {
  /** The field of mocks with what a message carries; bytes that are no text are in the one with `_base64` behind it. */
  readonly content: 'body' | 'payload';
  /** Finds in an address what a pattern would take for more than itself. */
  readonly special: RegExp;
  /** Why mocks do not compare bytes that are no text: `which no pattern matches`. */
  readonly bytes: string;
}

/** Makes recordings of the messages of a kind of messaging: what is asked of one, and what another answers. */
export class MessageRecordings {
  readonly #form: MessageForm;

  constructor(form: MessageForm) {
    this.#form = form;
  }

  /**
   * Makes what a recorded mock asks of a message; a text says why it can have none.
   *
   * @param addresses - where the message went, by the fields of a mock for that
   */
  matchOf(addresses: Readonly<Record<string, string>>, content: Buffer): RecordedMatch | string {
    const { content: field, bytes, special } = this.#form;
    if (!isUtf8(content)) return `its ${field} is not UTF-8, ${bytes}`;
    const patterns: string[] = [];
    const note: PatternNote = (place, rule) => void patterns.push(`${place}: ${rule}`);
    const match: Record<string, unknown> = {};
    for (const [name, address] of Object.entries(addresses))
      match[name] = address === '' || special.test(address) ? { equals: address } : address;
    if (content.length > MAX_COMPARED) {
      note(field, 'it is longer than 64 KiB and not compared');
      match[field] = { present: true };
    } else match[field] = patternOf(field, '', content.toString('utf8'), note);
    const name = redactText(Object.values(addresses).join(' ').trim());
    return { key: JSON.stringify(match), name, match, patterns };
  }

  /** The field by which a mock answers with a content; a text says why none can. */
  answerOf(content: Buffer): Readonly<Record<string, string>> | string {
    if (content.length > MAX_KEPT) return 'it is longer than 2 MiB';
    const { content: field } = this.#form;
    const kept = redactContent(content);
    return isUtf8(kept)
      ? { [field]: literal(kept.toString('utf8')) }
      : { [`${field}_base64`]: kept.toString('base64') };
  }
}

/** What a message carries as it is kept: a copy, without its secrets where it is a text. */
export function redactContent(content: Buffer): Buffer {
  if (content.length > MAX_KEPT || !isUtf8(content)) return Buffer.from(content);
  return Buffer.from(runAtOnce(redactStringSteps(content.toString('utf8'))));
}

/** What of a content is compared with that of another answer: its JSON where it is such. */
export function comparedContent(content: Buffer): unknown {
  const kept = redactContent(content);
  if (!isUtf8(kept)) return `base64 ${kept.toString('base64')}`;
  const text = kept.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The value of a header or property without its secret: all of it where the name is that of one. */
export function redactNamed(name: string, value: string): string {
  return isSecretName(name) ? REDACTED : redactText(value);
}
