import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { IncomingMessage } from 'node:http';
import { runInSlices } from '@backlot/core/plugin';
import { CONNECTION_HEADERS } from '@backlot/kit/http';
import { redactBodySteps, redactHeader, shownBody } from './redact-message.js';
import { rewriteHeader, type OwnPlace } from './rewrite-header.js';

/** An answer of the upstream without its secrets, decoded. */
export interface AnswerCopy {
  readonly status: number;
  /** By the name as the upstream writes it. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  /** The body with its secrets, for comparing it. */
  readonly plain: Buffer;
}

/** The most bytes of a body that are searched for secrets, and kept, as they come and decoded: others wait meanwhile. */
export const MAX_COPY = 2 * 1024 * 1024;

/** Headers that are made anew for each answer. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  'content-encoding',
  'content-length',
  'date',
  'trailer',
]);

const LIMIT = { maxOutputLength: MAX_COPY };
const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify(gunzip)(bytes, LIMIT),
  'x-gzip': (bytes) => promisify(gunzip)(bytes, LIMIT),
  br: (bytes) => promisify(brotliDecompress)(bytes, LIMIT),
  // Some servers leave the wrapping of zlib out.
  deflate: (bytes) => promisify(inflate)(bytes, LIMIT).catch(() => promisify(inflateRaw)(bytes, LIMIT)),
};

/** Whether a body with this coding can be decoded. */
export function isKnownCoding(coding: string): boolean {
  return coding === 'identity' || Object.hasOwn(decoders, coding);
}

/**
 * Makes the copy of an answer that was received.
 *
 * @param isWhole - whether the whole body is kept, and not only as much as the log shows
 * @throws Error when the body cannot be decoded
 */
export async function copyAnswer(
  answer: IncomingMessage,
  bytes: Buffer,
  own: OwnPlace,
  isWhole: boolean,
): Promise<AnswerCopy> {
  const headers = new Map<string, { readonly name: string; readonly values: string[] }>();
  const { rawHeaders } = answer;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const key = name.toLowerCase();
    if (MADE_ANEW.has(key)) continue;
    const value = redactHeader(key, rewriteHeader(key, rawHeaders[index + 1] ?? '', own));
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
  const contentType = answer.headers['content-type'];
  const kept = isWhole ? await runInSlices(redactBodySteps(body, contentType)) : shownBody(body, contentType);
  return {
    status: answer.statusCode ?? 200,
    headers: Object.fromEntries(
      Array.from(headers.values(), ({ name, values }) => [
        name,
        values.length === 1 ? (values[0] ?? '') : values,
      ]),
    ),
    body: kept,
    plain: body,
  };
}
