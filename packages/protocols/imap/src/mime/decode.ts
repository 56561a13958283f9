import type { Part } from './part.js';

const WORD = /=\?([^?\s]{1,40})\?([bq])\?([^?\s]*)\?=/gi;
const BETWEEN = /(\?=)\s+(?==\?)/g;

/** Bytes as text in the named character set; as latin1 when nobody knows the name. */
export function decodeText(bytes: Buffer, charset: string): string {
  if (charset === '') return decodeUnlabelled(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
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

/** The body of a text part as text. */
export function decodeBody(raw: Buffer, part: Part): string {
  const bytes = raw.subarray(part.bodyStart, part.end);
  const charset = part.contentType.parameters.find(([name]) => name.toLowerCase() === 'charset')?.[1] ?? '';
  if (part.encoding === 'base64') return decodeText(Buffer.from(bytes.toString('latin1'), 'base64'), charset);
  if (part.encoding === 'quoted-printable') {
    return decodeText(decodeQuotedPrintable(bytes.toString('latin1')), charset);
  }
  return decodeText(bytes, charset);
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
