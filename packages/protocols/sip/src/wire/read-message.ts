import { isHeaderName } from '@backlot/kit/http';
import { shareMethod } from '../methods.js';
import { readHeaderName } from './header-names.js';
import { isUri } from './uri.js';

/** The longest message, in octets. */
export const MAX_MESSAGE = 64 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEADERS = 200;
/** The longest header with its folded lines, in characters. */
const MAX_HEADER = 8 * 1024;
/** In the whole head: a CR alone would begin a line for some readers. */
const STRAY_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]+/g;

/** What makes a request one that cannot be served. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** A request as it came. */
export interface RawRequest {
  readonly method: string;
  readonly uri: string;
  /** The first line and the headers as they came; see {@link readHead}. */
  readonly head: string;
  /** Names, whole and in lower case, and values in turn: objects would be most of what a request leaves to collect. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Octets of the whole. */
  readonly size: number;
  /** The first thing that is wrong with it. */
  readonly refusal: Refusal | undefined;
  /** Whether it was all there; on a connection it is not known where the next message begins otherwise. */
  readonly isWhole: boolean;
}

/**
 * Reads a message (RFC 3261 section 7).
 *
 * @param isStream - whether it came over a connection, where Content-Length must be there (section 18.3)
 * @returns `undefined` for what is no request at all, a response among it
 */
export function readMessage(data: Buffer, isStream: boolean): RawRequest | undefined {
  const end = data.indexOf(HEAD_END);
  const text = data.toString('utf8', 0, end < 0 ? data.length : end);
  const lineEnd = endOfLine(text, 0);
  const [method = '', uri = '', version = '', ...rest] = text.slice(0, lineEnd).trimEnd().split(' ');
  if (!isHeaderName(method) || !version.toUpperCase().startsWith('SIP/') || rest.length > 0) return undefined;
  const headers: string[] = [];
  let refusal: Refusal | undefined;
  if (version.toUpperCase() !== 'SIP/2.0') refusal = { status: 505, reason: 'Version Not Supported' };
  else if (!isUri(uri)) refusal = bad('Malformed Request-URI');
  refusal = readHeaders(text, lineEnd, headers) ?? refusal;
  const body = end < 0 ? data.subarray(data.length) : data.subarray(end + 4);
  const length = readLength(headers, isStream);
  if (typeof length === 'object') refusal ??= length;
  else if (length !== undefined && length > body.length) {
    refusal ??=
      isStream && length > MAX_MESSAGE - data.length
        ? { status: 513, reason: 'Message Too Large' }
        : bad('Content-Length Beyond The Message');
  }
  const used = typeof length === 'number' ? body.subarray(0, length) : body;
  const isWhole = typeof length !== 'object' && (length ?? 0) <= body.length;
  // A copy: the journal would keep the whole datagram, or what else came with it.
  const kept = used.length === 0 ? undefined : Buffer.from(used);
  return {
    method: shareMethod(method),
    uri,
    head: text,
    headers,
    body: kept,
    size: data.length,
    refusal,
    isWhole,
  };
}

/** The headers of a request that was read, again. */
export function readHead(head: string): readonly string[] {
  const headers: string[] = [];
  readHeaders(head, endOfLine(head, 0), headers);
  return headers;
}

/** Whether a message is a response. */
export function isResponse(data: Buffer): boolean {
  return data.toString('latin1', 0, 4).toUpperCase() === 'SIP/';
}

/** A 400 with what is wrong. */
export function bad(reason: string): Refusal {
  return { status: 400, reason };
}

function readHeaders(text: string, from: number, into: string[]): Refusal | undefined {
  const hasControls = STRAY_CONTROLS.test(text);
  let refusal = hasControls ? bad('Control Character In A Header Field') : undefined;
  let start = skipLineEnd(text, from);
  while (start < text.length) {
    let end = endOfLine(text, start);
    let next = skipLineEnd(text, end);
    let line = text.slice(start, end);
    // Section 7.3.1: a line that begins with white space goes on with the one before it.
    if (isFolded(text, next)) {
      const parts = [line.trimEnd()];
      let length = line.length;
      while (length <= MAX_HEADER && isFolded(text, next)) {
        end = endOfLine(text, next);
        const more = text.slice(next, end).trim();
        if (more !== '') {
          parts.push(more);
          length += more.length + 1;
        }
        next = skipLineEnd(text, end);
      }
      line = parts.join(' ');
    }
    start = next;
    if (into.length >= 2 * MAX_HEADERS) return refusal ?? bad('Too Many Header Fields');
    if (line.length > MAX_HEADER) {
      refusal ??= bad('Header Field Too Long');
      continue;
    }
    const colon = line.indexOf(':');
    const name = readHeaderName(line.slice(0, Math.max(colon, 0)).trimEnd());
    if (name === undefined) refusal ??= bad('Malformed Header Field');
    else into.push(name, hasControls ? withoutControls(line.slice(colon + 1)) : line.slice(colon + 1).trim());
  }
  return refusal;
}

/** A header value on one line: control characters become a space. */
export function withoutControls(value: string): string {
  return value.replace(CONTROLS, ' ').trim();
}

function readLength(headers: readonly string[], isStream: boolean): number | Refusal | undefined {
  let value: string | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] !== 'content-length') continue;
    const next = headers[index + 1];
    if (value !== undefined && value !== next) return bad('Several Content-Length Header Fields');
    value = next;
  }
  if (value === undefined) return isStream ? bad('Missing Content-Length Header Field') : undefined;
  return /^\d{1,10}$/.test(value) ? Number(value) : bad('Malformed Content-Length Header Field');
}

function isFolded(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  if (at < 0) return text.length;
  return at > from && text[at - 1] === '\r' ? at - 1 : at;
}

function skipLineEnd(text: string, end: number): number {
  if (text[end] === '\r') return end + 2;
  return end + 1;
}
