import { escapeHeader } from './escape.js';
import type { Version } from './version.js';

const EMPTY = Buffer.alloc(0);

/** Writes header lines for a version. */
export function encodeHeaders(
  headers: Readonly<Record<string, string | number | undefined>>,
  version: Version,
): string {
  let text = '';
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) text += `${encodeName(name, version)}:${escapeHeader(String(value), version)}\n`;
  }
  return text;
}

/** 1.0 has no escape for a colon, which would end the name. */
function encodeName(name: string, version: Version): string {
  return version === '1.0' ? escapeHeader(name.replaceAll(':', '_'), version) : escapeHeader(name, version);
}

/**
 * Puts a frame together.
 *
 * @param head - command and headers with their line ends, without the blank line
 */
export function joinFrame(head: string, body: Uint8Array = EMPTY): Buffer {
  const headLength = Buffer.byteLength(head) + 1;
  const frame = Buffer.allocUnsafe(headLength + body.length + 1);
  frame.write(head, 0, 'utf8');
  frame[headLength - 1] = 10;
  if (body.length > 0) frame.set(body, headLength);
  frame[frame.length - 1] = 0;
  return frame;
}
