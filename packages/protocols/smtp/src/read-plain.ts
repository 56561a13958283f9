import { isUtf8 } from 'node:buffer';
import { decodeWords } from 'postal-mime';
import { valueOf, type Field } from './mime/head.js';

/** A mail of plain text, as it is read without a MIME parser. */
export interface PlainMail {
  readonly headers: readonly Field[];
  readonly subject: string | undefined;
  /** With the line ends of the mail. */
  readonly body: string;
}

/** Longer mails are worth the parser. */
const MAX_LENGTH = 16 * 1024;
const FIELD = /^([!-9;-~]+):[ \t]*(.*)$/;
const TEXT_TYPE = /^text\/plain(?:; ?charset="?(?:utf-8|us-ascii)"?)?$/i;
const LONE_RETURN = /\r(?!\n)/;
const ENCODING = /^(?:7bit|8bit)$/i;

/**
 * Reads the common short mail, which is neither folded nor encoded, some ten times faster than the parser does.
 *
 * @returns undefined for any other mail
 */
export function readPlain(raw: Buffer): PlainMail | undefined {
  if (raw.length > MAX_LENGTH || !isUtf8(raw)) return undefined;
  const source = raw.toString('utf8');
  const end = source.indexOf('\r\n\r\n');
  if (end < 0 || source.includes('\0')) return undefined;
  const headers: Field[] = [];
  for (const line of source.slice(0, end).split('\r\n')) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    const key = name.toLowerCase();
    if (name === '' || !isPlainField(key, value) || /[\r\n]/.test(value)) return undefined;
    headers.push({ key, value: value.trim() });
  }
  const isAscii = source.length === raw.length;
  if (!isAscii && !headers.some(({ key, value }) => key === 'content-type' && /utf-8/i.test(value)))
    return undefined;
  const body = source.slice(end + 4);
  return LONE_RETURN.test(body) ? undefined : { headers, subject: readField(headers, 'subject'), body };
}

/** The decoded value of a field; undefined when there is none. */
export function readField(headers: readonly Field[], wanted: string): string | undefined {
  const value = valueOf(headers, wanted);
  return value?.includes('=?') === true ? decodeWords(value) : value;
}

function isPlainField(key: string, value: string): boolean {
  if (key === 'content-type') return TEXT_TYPE.test(value);
  if (key === 'content-transfer-encoding') return ENCODING.test(value);
  return key !== 'cc' && !key.startsWith('content-');
}
