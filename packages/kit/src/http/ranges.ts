import { bytesOf, HttpAnswer } from './answer.js';
import { makeHeaders, type AnswerHeaders } from './headers.js';

/** A part of a body, both ends included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** What is asked for in more ranges is answered with the whole body, as RFC 9110, section 14.2, allows. */
const MAX_RANGES = 16;
/** A boundary has at most 70 characters, and a body in which many are is not split. */
const MAX_TRIES = 50;
const SPEC = /^(\d{0,15})-(\d{0,15})$/;

/** What a request says of ranges. */
export interface RangeRequest {
  readonly method: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** The same answer, telling clients that they may ask for parts of it. */
export function withAcceptRanges(answer: HttpAnswer): HttpAnswer {
  return answer.withHeaders({ 'Accept-Ranges': 'bytes' });
}

/**
 * The parts of an answer that a request asks for (RFC 9110, section 14): 206 with one range, or with several as
 * `multipart/byteranges`; 416 when there is nothing in them. `undefined` when the whole answer is to be sent: without a
 * range or with one that is no such, for a method other than GET, a status other than 200, and when `If-Range` names
 * another state of the body than the `ETag` or `Last-Modified` of the answer.
 */
export function rangeAnswer(
  answer: HttpAnswer,
  { method, range, ifRange }: RangeRequest,
): HttpAnswer | undefined {
  if (range === undefined || method !== 'GET' || answer.status !== 200) return undefined;
  if (ifRange !== undefined && !isSame(answer, ifRange)) return undefined;
  const body = bytesOf(answer);
  const ranges = readRanges(range, body.length);
  if (ranges === undefined) return undefined;
  const [only, ...others] = ranges;
  if (only === undefined) {
    const headers = without(answer.headers, 'content-type', 'etag', 'last-modified');
    return make(416, { ...headers, 'Content-Range': `bytes */${body.length}` }, undefined);
  }
  if (others.length > 0) return multipart(answer, ranges, body);
  const headers = { ...without(answer.headers), 'Content-Range': contentRange(only, body.length) };
  return make(206, headers, body.subarray(only.first, only.last + 1));
}

/**
 * The ranges of a `Range` header that a body has something of; `undefined` for a header that is to be ignored, since it is
 * no list of byte ranges, or asks for more than the body in all, or in very many pieces.
 */
function readRanges(header: string, size: number): readonly ByteRange[] | undefined {
  const [unit = '', list] = header.split('=', 2);
  if (unit.trim().toLowerCase() !== 'bytes' || list === undefined) return undefined;
  const specs = list.split(',', MAX_RANGES + 1).map((text) => text.trim());
  if (specs.length > MAX_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  let total = 0;
  for (const spec of specs) {
    if (spec === '') continue;
    const range = readRange(spec, size);
    if (range === undefined) return undefined;
    if (range.first > range.last) continue;
    total += range.last - range.first + 1;
    ranges.push(range);
  }
  if (specs.every((spec) => spec === '')) return undefined;
  return ranges.length > 1 && total > size ? undefined : ranges;
}

/** One range; empty when the body has nothing of it, `undefined` when it is none. */
function readRange(spec: string, size: number): ByteRange | undefined {
  const [, from = '', to = ''] = SPEC.exec(spec) ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return { first: Math.max(0, size - Number(to)), last: size - 1 };
  if (to !== '' && Number(to) < Number(from)) return undefined;
  return { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

function multipart(answer: HttpAnswer, ranges: readonly ByteRange[], body: Buffer): HttpAnswer | undefined {
  const type = valueOf(answer.headers, 'content-type');
  let boundary = 'backlot-part';
  for (let tries = 0; body.includes(boundary); tries += 1) {
    if (tries === MAX_TRIES) return undefined;
    boundary += '-';
  }
  const parts = ranges.flatMap((range) => [
    Buffer.from(
      `\r\n--${boundary}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}` +
        `Content-Range: ${contentRange(range, body.length)}\r\n\r\n`,
      'latin1',
    ),
    body.subarray(range.first, range.last + 1),
  ]);
  const headers = {
    ...without(answer.headers, 'content-type'),
    'Content-Type': `multipart/byteranges; boundary=${boundary}`,
  };
  return make(206, headers, Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]));
}

function contentRange({ first, last }: ByteRange, size: number): string {
  return `bytes ${first}-${last}/${size}`;
}

/** RFC 9110, section 13.1.5: a validator is compared strongly, a date exactly. */
function isSame({ headers }: HttpAnswer, ifRange: string): boolean {
  const wanted = ifRange.trim();
  const actual = valueOf(headers, wanted.startsWith('"') ? 'etag' : 'last-modified');
  return actual !== undefined && actual === wanted;
}

function make(status: number, headers: AnswerHeaders, body: Buffer | undefined): HttpAnswer {
  const made = Object.assign(makeHeaders(), headers);
  made['Content-Length'] = body?.length ?? 0;
  return new HttpAnswer(status, made, body);
}

function valueOf(headers: AnswerHeaders, lowerName: string): string | undefined {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === lowerName);
  return found === undefined ? undefined : String(found[1]);
}

/** The headers without the length and others (in lower case), which parts of a body do not share with the whole. */
function without(headers: AnswerHeaders, ...names: string[]): AnswerHeaders {
  const kept = makeHeaders();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (lower !== 'content-length' && lower !== 'transfer-encoding' && !names.includes(lower))
      kept[name] = value;
  }
  return kept;
}
