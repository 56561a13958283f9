import { show, StompError } from './stomp-error.js';
import type { Version } from './version.js';

/**
 * Reads the escapes of a header name or value ("Value Encoding"): 1.0 has none, 1.1 has `\n`, `\c` and `\\`, 1.2 adds `\r`.
 *
 * @throws StompError for a sequence that the version does not define, which is a fatal error
 */
export function unescapeHeader(text: string, version: Version): string {
  if (version === '1.0') return text;
  let at = text.indexOf('\\');
  if (at < 0) return text;
  let plain = '';
  let from = 0;
  for (; at >= 0; at = text.indexOf('\\', from)) {
    plain += text.slice(from, at) + characterOf(text.charAt(at + 1), version, text);
    from = at + 2;
  }
  return plain + text.slice(from);
}

function characterOf(code: string, version: Version, text: string): string {
  if (code === 'n') return '\n';
  if (code === 'c') return ':';
  if (code === '\\') return '\\';
  if (code === 'r' && version === '1.2') return '\r';
  throw new StompError(
    `undefined escape in a header`,
    `the header text ${show(text)} has "\\${code}" in it; STOMP ${version} knows ${version === '1.2' ? '\\r, ' : ''}\\n, \\c and \\\\`,
  );
}

const SPECIAL = /[\\\n\r:\0]/;

/**
 * Writes a header name or value for a version. What the version has no escape for cannot be sent: a line break becomes
 * a space in 1.0, as a carriage return does in 1.1, and NUL is left out everywhere.
 */
export function escapeHeader(text: string, version: Version): string {
  if (!SPECIAL.test(text)) return text;
  const clean = text.replaceAll('\0', '');
  if (version === '1.0') return clean.replace(/[\r\n]+/g, ' ');
  const escaped = clean.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(':', '\\c');
  return escaped.replaceAll('\r', version === '1.2' ? '\\r' : ' ');
}
