import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { IncomingMessage } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { rewriteHeader, type OwnPath } from './rewrite-header.js';
import { isSecretName, redactJson, redactText, REDACTED } from '@backlot/kit/upstream';

/** An answer of the upstream without its secrets, decoded. */
export interface AnswerCopy {
  readonly status: number;
  /** By the name as the upstream writes it. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** The most bytes of a body that are searched for secrets, and kept, as they come and decoded: others wait meanwhile. */
export const MAX_COPY = 2 * 1024 * 1024;

/** Headers that say how an answer came over a connection: they are made anew for each answer. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const LIMIT = { maxOutputLength: MAX_COPY };
const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify(gunzip)(bytes, LIMIT),
  'x-gzip': (bytes) => promisify(gunzip)(bytes, LIMIT),
  br: (bytes) => promisify(brotliDecompress)(bytes, LIMIT),
  // Some servers leave the wrapping of zlib out.
  deflate: (bytes) => promisify(inflate)(bytes, LIMIT).catch(() => promisify(inflateRaw)(bytes, LIMIT)),
};

/**
 * Makes the copy of an answer that was received.
 *
 * @throws Error when the body cannot be decoded
 */
export async function copyAnswer(
  answer: IncomingMessage,
  bytes: Buffer,
  ownPath: OwnPath,
): Promise<AnswerCopy> {
  const headers = new Map<string, { readonly name: string; readonly values: string[] }>();
  const { rawHeaders } = answer;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const key = name.toLowerCase();
    if (CONNECTION_HEADERS.has(key)) continue;
    const value = redactHeader(key, rewriteHeader(key, rawHeaders[index + 1] ?? '', ownPath));
    const known = headers.get(key);
    if (known === undefined) headers.set(key, { name, values: [value] });
    else known.values.push(value);
  }
  let body = bytes;
  for (const coding of (answer.headers['content-encoding'] ?? '').split(',').toReversed()) {
    const name = coding.trim().toLowerCase();
    if (name === '' || name === 'identity' || body.length === 0) continue;
    const decoder = decoders[name];
    if (decoder === undefined)
      throw new Error(`its body has the coding ${JSON.stringify(name)}, which nobody here knows`);
    body = await decoder(body);
  }
  return {
    status: answer.statusCode ?? 200,
    headers: Object.fromEntries(
      Array.from(headers.values(), ({ name, values }) => [
        name,
        values.length === 1 ? (values[0] ?? '') : values,
      ]),
    ),
    body: redactBody(body, answer.headers['content-type']),
  };
}

/** A body without secrets. */
export function redactBody(body: Buffer, contentType: string | undefined): Buffer {
  if (body.length === 0 || !isUtf8(body)) return body;
  const text = body.toString();
  const redacted = redactContent(text, contentType);
  return redacted === text ? body : Buffer.from(redacted);
}

function redactContent(text: string, contentType = ''): string {
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return redactPairs(text);
  if (/^[\s]*[[{]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      const redacted = redactJson(value);
      return redacted === value ? text : JSON.stringify(redacted);
    } catch {
      // It is a text like any other.
    }
  }
  return redactText(text);
}

/** A query or form without the values of secret names. */
export function redactPairs(text: string): string {
  return text
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return pair.includes('=') && isSecretName(decode(name)) ? `${name}=${REDACTED}` : redactText(pair);
    })
    .join('&');
}

/** Headers of a request, names and values in turn, without secrets. */
export function redactHeaders(raw: readonly string[]): string[] {
  return raw.map((text, index) =>
    index % 2 === 0 ? text : redactHeader((raw[index - 1] ?? '').toLowerCase(), text),
  );
}

function redactHeader(key: string, value: string): string {
  // What a cookie is called and how long it lives is no secret.
  if (key === 'set-cookie') return value.replace(/^([^=;]*)=[^;]+/, `$1=${REDACTED}`);
  if (key === 'cookie') return value.replaceAll(/=[^;]+/g, `=${REDACTED}`);
  return isSecretName(key) && value !== '' ? REDACTED : redactText(value);
}

/** A part of a query or form without its escapes; as it is where they are wrong. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
