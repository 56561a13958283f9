import { MailMessage } from './message.js';
import { NOTHING_READ, readNow, type ReadMail } from './read-mail.js';
import type { Mail } from './schemas.js';

type Entry = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Of a longer message that somebody asks about so many characters are read: it is read at once. */
const MAX_BODY = 1024 * 1024;

/**
 * Makes the message of a journal entry, or of one that somebody wrote: `from`, `to` (a text or a list), `subject`, `headers`,
 * `text`, `html` and `attachments` as a captured mail has them, or `path` as the journal has it, or `body`, the whole message.
 */
export function explainEntry(entry: Entry): MailMessage {
  const path = textOf(entry['path']) ?? '';
  const arrow = path.indexOf('->');
  const sender = textOf(entry['from']) ?? (arrow < 0 ? path : path.slice(0, arrow)).trim();
  const message = new MailMessage(sender === '<>' ? '' : sender, textOf(entry['remote']) ?? '');
  const to = entry['to'] ?? (arrow < 0 ? [] : path.slice(arrow + 2));
  const raw = bodyOf(entry);
  const mail = raw === undefined ? NOTHING_READ : readNow(raw);
  const headers: Fields = { ...mail.headers, ...fieldsOf(entry['headers']) };
  const subject = textOf(entry['subject']) ?? firstOf(headers['subject']) ?? mail.subject;
  const read: ReadMail = {
    subject,
    headers: subject === undefined ? headers : { ...headers, subject },
    headBytes: 0,
    parts: partsOf(entry, mail),
  };
  message.complete(listOf(to), raw, read);
  return message;
}

function listOf(to: unknown): string[] {
  const list = Array.isArray(to)
    ? to.filter((each) => typeof each === 'string')
    : (textOf(to) ?? '').split(',');
  return list.map((each) => each.trim()).filter((each) => each !== '');
}

function bodyOf({ body, body_encoding: encoding }: Entry): Buffer | undefined {
  if (typeof body !== 'string') return undefined;
  return Buffer.from(body.slice(0, MAX_BODY), encoding === 'base64' ? 'base64' : 'utf8');
}

function fieldsOf(headers: unknown): Fields {
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers as Fields).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function partsOf(entry: Entry, { parts }: ReadMail): ReadMail['parts'] {
  const { text = parts.text, html = parts.html, attachments = parts.attachments } = entry;
  return {
    ...parts,
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof html === 'string' ? { html } : {}),
    attachments: Array.isArray(attachments) ? attachments.map(attachmentOf) : parts.attachments,
  };
}

function attachmentOf(given: unknown): Mail['attachments'][number] {
  const { filename, content_type: contentType, size } = (given ?? {}) as Readonly<Record<string, unknown>>;
  return {
    filename: textOf(filename) ?? '',
    content_type: textOf(contentType) ?? 'text/plain',
    size: typeof size === 'number' ? size : 0,
  };
}

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return textOf(typeof value === 'object' ? value[0] : value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
