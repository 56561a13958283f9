import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import { bytesOf, HttpAnswer } from './answer.js';
import { makeHeaders } from './headers.js';

/** How an answer can be compressed, the best first. */
const CODINGS = ['br', 'gzip', 'deflate'] as const;
/** One of {@link CODINGS}. */
export type AnswerCoding = (typeof CODINGS)[number];

/** The best quality of brotli takes seconds for a large body, this one milliseconds. */
const BROTLI_QUALITY = 5;
const MAX_ITEMS = 50;

/**
 * The coding that a client likes most of those that there are (RFC 9110, section 12.5.3); `undefined` when it takes none,
 * or likes the plain body better.
 */
export function chooseCoding(accept: string | undefined): AnswerCoding | undefined {
  if (accept === undefined || accept === '') return undefined;
  const weights = new Map<string, number>();
  for (const item of accept.split(',', MAX_ITEMS)) {
    const [name = '', ...parameters] = item.split(';');
    const weight = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1]).find(Boolean);
    const token = name.trim().toLowerCase();
    weights.set(token === 'x-gzip' ? 'gzip' : token, weight === undefined ? 1 : Number(weight) || 0);
  }
  const others = weights.get('*') ?? 0;
  let best: AnswerCoding | undefined;
  let highest = weights.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? others;
    if (weight > 0 && (weight > highest || (best === undefined && weight === highest))) {
      best = coding;
      highest = weight;
    }
  }
  return best;
}

/** The same answer for who may get it compressed and does not: caches are told that it depends on `Accept-Encoding`. */
export function withVary(answer: HttpAnswer): HttpAnswer {
  const headers = makeHeaders();
  let name = 'Vary';
  let vary: string[] = [];
  for (const [key, value] of Object.entries(answer.headers)) {
    if (key.toLowerCase() === 'vary') {
      name = key;
      vary = [value].flat().map(String);
    } else headers[key] = value;
  }
  if (!vary.some((value) => /(?:^|,)\s*(?:\*|accept-encoding)\s*(?:,|$)/i.test(value)))
    vary.push('Accept-Encoding');
  headers[name] = vary.join(', ');
  return new HttpAnswer(answer.status, headers, answer.body, answer.interim);
}

/** Whether an answer can be compressed: it has a body, which is not encoded yet. */
export function isCompressible({ body, head }: HttpAnswer): boolean {
  return body !== undefined && body.length > 0 && head.http2['content-encoding'] === undefined;
}

/**
 * Compresses an answer, outside of the event loop. A strong `ETag` becomes a weak one, since the bytes differ (RFC 9110,
 * section 8.8.3.3).
 */
export async function compressAnswer(answer: HttpAnswer, coding: AnswerCoding): Promise<HttpAnswer> {
  const body = await compress(bytesOf(answer), coding);
  const headers = makeHeaders();
  for (const [name, value] of Object.entries(answer.headers)) {
    const lower = name.toLowerCase();
    if (lower === 'content-length') headers[name] = body.length;
    else if (lower === 'etag' && String(value).startsWith('"')) headers[name] = `W/${String(value)}`;
    else if (lower !== 'accept-ranges') headers[name] = value;
  }
  headers['Content-Encoding'] = coding;
  return new HttpAnswer(answer.status, headers, body, answer.interim);
}

function compress(body: Buffer, coding: AnswerCoding): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytes: Buffer): void =>
      error === null ? resolve(bytes) : reject(error);
    if (coding === 'gzip') gzip(body, done);
    else if (coding === 'deflate') deflate(body, done);
    else {
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      };
      brotliCompress(body, { params }, done);
    }
  });
}
