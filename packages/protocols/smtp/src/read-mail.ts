import PostalMime, { decodeWords, type Address, type Email } from 'postal-mime';
import { readField, readPlain } from './read-plain.js';
import type { Mail } from './schemas.js';

/** What rules ask of a mail. */
export interface ReadHead {
  /** Undefined when the mail has none. */
  readonly subject: string | undefined;
  /** Bytes that the headers hold in memory, roughly. */
  readonly headBytes: number;
}

/** What was read of a mail. */
export interface ReadMail extends ReadHead {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly parts: Pick<Mail, 'text' | 'html' | 'attachments' | 'cc' | 'message_id'>;
}

/** Whether all of a mail was read. */
export function isWhole(read: ReadHead): read is ReadMail {
  return 'parts' in read;
}

/** A mail of which nothing could be read, or which has not come. */
export const NOTHING_READ: ReadMail = {
  subject: undefined,
  headers: {},
  headBytes: 0,
  parts: { attachments: [], cc: [] },
};

/**
 * Reads a mail: headers, texts and attachments, decoded. One that breaks the reader's limits is taken unread. Of a short
 * and plain mail only what rules ask for is read, at once: {@link readShort} reads the rest when somebody looks.
 */
export function readMail(raw: Buffer): ReadHead | Promise<ReadMail> {
  const plain = readPlain(raw);
  if (plain === undefined) return parseMail(raw);
  let headBytes = 0;
  for (const { key, value } of plain.headers) headBytes += key.length + value.length;
  return { subject: plain.subject === undefined ? undefined : flatten(plain.subject), headBytes };
}

/** Reads a mail of which {@link readMail} has read the head at once. */
export function readShort(raw: Buffer): ReadMail {
  const plain = readPlain(raw);
  if (plain === undefined) return NOTHING_READ;
  const { subject, headers, body } = plain;
  const messageId = readField(headers, 'message-id');
  return {
    subject,
    ...collectHeaders(headers),
    parts: {
      ...(body === '' ? {} : { text: withoutLineEnd(body.replaceAll('\r\n', '\n')) }),
      attachments: [],
      cc: [],
      ...(messageId === undefined ? {} : { message_id: messageId }),
    },
  };
}

/** Reads any mail. */
export async function parseMail(raw: Buffer): Promise<ReadMail> {
  let email: Email;
  try {
    email = await PostalMime.parse(raw);
  } catch {
    return NOTHING_READ;
  }
  const { headers, headBytes } = collectHeaders(email.headers);
  const { text, html, messageId } = email;
  return {
    subject: email.headers.some(({ key }) => key === 'subject') ? (email.subject ?? '') : undefined,
    headers,
    headBytes,
    parts: {
      ...(text === undefined ? {} : { text: withoutLineEnd(text) }),
      ...(html === undefined ? {} : { html: withoutLineEnd(html) }),
      attachments: email.attachments.map(({ filename, mimeType, content }) => ({
        filename: filename ?? '',
        content_type: mimeType,
        size: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
      })),
      cc: (email.cc ?? []).flatMap(addressesOf),
      ...(messageId === undefined ? {} : { message_id: messageId }),
    },
  };
}

/** The same text in memory of its own: a part of a text holds on to the whole. */
function flatten(text: string): string {
  return Buffer.from(text).toString();
}

/** The line end in front of a boundary, or of the end of the data, is no part of the text (RFC 2046, 5.1.1). */
function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function collectHeaders(
  list: readonly { readonly key: string; readonly value: string }[],
): Pick<ReadMail, 'headers' | 'headBytes'> {
  const headers = Object.create(null) as Record<string, string | string[]>;
  let headBytes = 0;
  for (const { key, value } of list) {
    const decoded = value.includes('=?') ? decodeWords(value) : value;
    const before = headers[key];
    if (before === undefined) headers[key] = decoded;
    else if (typeof before === 'string') headers[key] = [before, decoded];
    else before.push(decoded);
    headBytes += key.length + decoded.length;
  }
  return { headers, headBytes };
}

function addressesOf({ address, group }: Address): string[] {
  if (group !== undefined) return group.map((member) => member.address);
  return address === undefined || address === '' ? [] : [address];
}
