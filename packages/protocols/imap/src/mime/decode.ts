import { decodeContent, findDecoder } from '@backlot/kit';
import type { Part } from './part.js';

const WORD = /=\?([^?\s]{1,40})\?([bq])\?([^?\s]*)\?=/gi;
const BETWEEN = /(\?=)\s+(?==\?)/g;

/** Bytes as text in the named character set; as latin1 when nobody knows the name. */
export function decodeText(bytes: Buffer, charset: string): string {
  if (charset === '') return decodeUnlabelled(bytes);
  return findDecoder(charset)?.decode(bytes) ?? bytes.toString('latin1');
}

/** A field's value with its encoded words decoded (RFC 2047); 8-bit bytes are taken for UTF-8. */
export function decodeField(value: string): string {
  const text = /[\x80-\xff]/.test(value) ? decodeUnlabelled(Buffer.from(value, 'latin1')) : value;
  if (!text.includes('=?')) return text;
  return text
    .replace(BETWEEN, '$1')
    .replace(WORD, (_all, charset: string, encoding: string, content: string) => {
      const bytes =
        encoding.toLowerCase() === 'b'
          ? Buffer.from(content, 'base64')
          : decodeQuotedPrintable(content.replaceAll('_', ' '));
      return decodeText(bytes, charset.replace(/\*.*$/, ''));
    });
}

/** The body of a text part as text. Yields now and then, see `runInSlices`. */
export function* decodeBody(raw: Buffer, part: Part): Generator<undefined, string> {
  const named = part.contentType.parameters.find(([name]) => name.toLowerCase() === 'charset')?.[1] ?? '';
  const content = { start: part.bodyStart, end: part.end, encoding: part.encoding };
  const text = yield* decodeParts(raw, content, named === '' ? 'utf-8' : named);
  // Whose character set nobody named: UTF-8 if it can be, else latin1.
  return named === '' && text.includes('\ufffd') ? yield* decodeParts(raw, content, '') : text;
}

function* decodeParts(
  raw: Buffer,
  content: Parameters<typeof decodeContent>[1],
  charset: string,
): Generator<undefined, string> {
  const decoder = charset === '' ? undefined : findDecoder(charset);
  let text = '';
  yield* decodeContent(raw, content, (piece) => {
    text += decoder?.decode(piece, { stream: true }) ?? piece.toString('latin1');
  });
  return text + (decoder?.decode() ?? '');
}

/** Text whose character set nobody named: UTF-8 if it can be, else latin1. */
export function decodeUnlabelled(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}

function decodeQuotedPrintable(text: string): Buffer {
  const joined = text.replace(/=[ \t]*\r?\n/g, '');
  const plain = joined.replace(/=([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(plain, 'latin1');
}
