import { invalid } from '../errors.js';

/** How deep lists and objects of a body may be nested. */
export const MAX_BODY_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @param byte - where the level too many begins */
export function tooDeep(byte: number): Error {
  return invalid(`the body is nested deeper than ${MAX_BODY_DEPTH} levels at byte ${byte}`);
}

/**
 * Looks at the brackets of a JSON text before it is parsed, since the parser and whoever walks the value afterwards
 * use the stack.
 *
 * @throws BacklotError `invalid` when lists and objects are nested too deep
 */
export function checkNesting(bytes: Uint8Array): void {
  if (bytes.length <= MAX_BODY_DEPTH) return;
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (isText) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) {
      isText = true;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_BODY_DEPTH) {
        throw tooDeep(index);
      }
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth -= 1;
    }
  }
}
