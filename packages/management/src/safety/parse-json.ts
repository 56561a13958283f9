import { isUtf8 } from 'node:buffer';
import {
  checkNesting,
  findJsonFault,
  invalid,
  JsonFaultError,
  parseLargeJson,
  runAtOnce,
  runInSlices,
  type JsonFault,
} from '@backlot/core/plugin';

/** Bytes of a body that is parsed at once: ten milliseconds and less. */
const LARGE = 128 * 1024;
/** Characters that are looked at before others are let in. */
const STRIDE = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads a body as JSON, whatever its content type said; a large one in slices, between which others are served.
 *
 * @throws BacklotError `invalid` when the bytes are not UTF-8, not JSON, or nested too deep
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid('the body is not UTF-8; JSON is sent as UTF-8');
  // A byte order mark may be ignored (RFC 8259, 8.1).
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (bytes.length > LARGE) return runInSlices(largeSteps(bytes, start));
  checkNesting(bytes);
  const text = bytes.toString('utf8', start);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(runAtOnce(faultSteps(text, findJsonFault(text))));
  }
}

function* largeSteps(bytes: Buffer, start: number): Generator<undefined, unknown> {
  const text = bytes.toString('utf8', start);
  yield;
  try {
    return yield* parseLargeJson(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonFaultError)) throw thrown;
    throw invalid(yield* faultSteps(text, thrown.fault));
  }
}

/** Says where a text is no JSON, step by step: very many lines may stand before it. */
export function* faultSteps(text: string, found: JsonFault | undefined): Generator<undefined, string> {
  if (found === undefined) return 'the body is not JSON';
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < found.position; at += 1) {
    if (at % STRIDE === 0) yield;
    if (text.charCodeAt(at) !== LINE_FEED) continue;
    line += 1;
    lineStart = at + 1;
  }
  const column = found.position - lineStart + 1;
  const given =
    found.position < text.length ? JSON.stringify(text.slice(found.position, found.position + 1)) : 'the end';
  return `the body is not JSON: expected ${found.expected} at position ${found.position} (line ${line}, column ${column}), got ${given}`;
}
