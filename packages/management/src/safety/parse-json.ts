import { isUtf8 } from 'node:buffer';
import { invalid } from '@backlot/core/plugin';
import { findJsonFault } from './json-position.js';
import { checkNesting } from './nesting.js';

/**
 * Reads a body as JSON, whatever its content type said.
 *
 * @throws BacklotError `invalid` when the bytes are not UTF-8, not JSON, or nested too deep
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid('the body is not UTF-8; JSON is sent as UTF-8');
  checkNesting(bytes);
  // A byte order mark may be ignored (RFC 8259, 8.1).
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = bytes.toString('utf8', start);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(describeFault(text));
  }
}

function describeFault(text: string): string {
  const found = findJsonFault(text);
  if (found === undefined) return 'the body is not JSON';
  const before = text.slice(0, found.position);
  const line = before.split('\n').length;
  const column = found.position - (before.lastIndexOf('\n') + 1) + 1;
  const given =
    found.position < text.length ? JSON.stringify(text.slice(found.position, found.position + 1)) : 'the end';
  return `the body is not JSON: expected ${found.expected} at position ${found.position} (line ${line}, column ${column}), got ${given}`;
}
