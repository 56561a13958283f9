import { decodeWords } from 'postal-mime';
import { MailMessage } from './message.js';
import { NOTHING_READ } from './read-mail.js';

type Entry = Readonly<Record<string, unknown>>;

/**
 * Makes the message of a journal entry, or of one that somebody wrote: `from`, `to` (a text or a list) and `subject`, or
 * `path` as the journal has it, and `headers` or `body`.
 */
export function explainEntry(entry: Entry): MailMessage {
  const path = textOf(entry['path']) ?? '';
  const arrow = path.indexOf('->');
  const sender = textOf(entry['from']) ?? (arrow < 0 ? path : path.slice(0, arrow)).trim();
  const message = new MailMessage(sender === '<>' ? '' : sender, textOf(entry['remote']) ?? '');
  const to = entry['to'] ?? (arrow < 0 ? [] : path.slice(arrow + 2));
  const subject = textOf(entry['subject']) ?? headerOf(entry['headers']) ?? bodySubject(entry);
  message.complete(listOf(to), undefined, { ...NOTHING_READ, subject });
  return message;
}

function listOf(to: unknown): string[] {
  const list = Array.isArray(to)
    ? to.filter((each) => typeof each === 'string')
    : (textOf(to) ?? '').split(',');
  return list.map((each) => each.trim()).filter((each) => each !== '');
}

function headerOf(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'subject')?.[1] as unknown;
  return textOf(Array.isArray(found) ? found[0] : found);
}

/** The subject in the head of a message, unfolded (RFC 5322, 2.2.3) and decoded. */
function bodySubject({ body, body_encoding: encoding }: Entry): string | undefined {
  if (typeof body !== 'string') return undefined;
  const text = encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : body;
  const [head = ''] = text.split(/\r?\n\r?\n/, 1);
  const line = /^subject:([^\n]*(?:\n[ \t][^\n]*)*)/im.exec(head)?.[1];
  return line === undefined ? undefined : decodeWords(line.replace(/\r?\n/g, '').trim());
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
