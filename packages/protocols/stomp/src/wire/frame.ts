import { isUtf8 } from 'node:buffer';
import { unescapeHeader } from './escape.js';
import { show, StompError } from './stomp-error.js';
import type { Version } from './version.js';

/** Headers by name, as they were sent; names are case-sensitive. Without a prototype, so that any name is plain data. */
export type Headers = Readonly<Record<string, string>>;

/** A frame that was received. */
export interface Frame {
  readonly command: string;
  readonly headers: Headers;
  /** A view of the received bytes. */
  readonly body: Buffer;
}

/** CONNECT and CONNECTED are never escaped, and STOMP is CONNECT by another name. */
const UNESCAPED: ReadonlySet<string> = new Set(['CONNECT', 'STOMP']);

/**
 * Reads a frame.
 *
 * @param bytes - the frame without its NUL
 * @param bodyStart - where its body begins, after the blank line
 * @param version - of the session; `undefined` before there is one
 * @throws StompError when a header is not as the version has it
 */
export function parseFrame(bytes: Buffer, bodyStart: number, version: Version | undefined): Frame {
  const head = bytes.toString('utf8', 0, bodyStart);
  if (head.includes('\ufffd') && !isUtf8(bytes.subarray(0, bodyStart)))
    throw new StompError('the headers are not UTF-8');
  let end = head.indexOf('\n');
  const command = withoutReturn(head.slice(0, end));
  const isUnescaped = UNESCAPED.has(command);
  const hasEscapes = !isUnescaped && head.includes('\\');
  const headers = Object.create(null) as Record<string, string>;
  for (let from = end + 1; (end = head.indexOf('\n', from)) >= 0; from = end + 1) {
    const line = withoutReturn(head.slice(from, end));
    if (line === '') break;
    const colon = line.indexOf(':');
    if (colon <= 0 || line.slice(0, colon).trim() === '')
      throw new StompError('a header without a name', `the header line ${show(line)} must be <name>:<value>`);
    let name = line.slice(0, colon);
    let value = line.slice(colon + 1);
    if (hasEscapes) {
      name = unescapeHeader(name, version ?? '1.0');
      value = unescapeHeader(value, version ?? '1.0');
    }
    // "Repeated Header Entries": the first one counts. 1.0 clients pad, later ones must not.
    if (version === '1.0') [name, value] = [name.trim(), value.trim()];
    if (headers[name] === undefined) headers[name] = value;
  }
  if (isUnescaped && headers['accept-version'] === undefined)
    return { command, headers: trimAll(headers), body: bytes.subarray(bodyStart) };
  return { command, headers, body: bytes.subarray(bodyStart) };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function trimAll(headers: Headers): Headers {
  const trimmed = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) trimmed[name.trim()] ??= value.trim();
  return trimmed;
}
