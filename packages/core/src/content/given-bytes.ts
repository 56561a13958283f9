import { isUtf8 } from 'node:buffer';
import { Type, type TSchema } from '@sinclair/typebox';
import type { Json } from '../contract/json.js';
import { invalid } from '../errors.js';
import { parseBase64 } from './compile-content.js';

/** How many bytes are shown of what is longer. */
const MAX_SHOWN = 1024 * 1024;

/**
 * The fields by which people give bytes: as a text, as a JSON value or in base64, one of them.
 *
 * @param name - the field of the text, such as `body`; that of the bytes has `_base64` behind it
 */
export function givenBytesFields(name: string): Record<string, TSchema> {
  return {
    [name]: Type.Optional(Type.String({ description: 'What is sent, as a text.' })),
    json: Type.Optional(Type.Unknown({ description: `A JSON value, in place of \`${name}\`.` })),
    [`${name}_base64`]: Type.Optional(
      Type.String({ description: `Bytes in base64, in place of \`${name}\`.` }),
    ),
  };
}

/**
 * The bytes that were given in the fields of {@link givenBytesFields}; none when there is none of them.
 *
 * @throws BacklotError `invalid` for two of them at once, and for a text that is not base64
 */
export function readGivenBytes(given: Json, name: string): Buffer {
  const names = [name, 'json', `${name}_base64`];
  const [first, second] = names.filter((each) => given[each] !== undefined);
  if (first === undefined) return Buffer.alloc(0);
  if (second !== undefined) throw invalidAt(second, `give one of ${names.join(', ')}, not ${first} as well`);
  const value = given[first];
  if (first === 'json') return Buffer.from(JSON.stringify(value));
  if (first === name) return Buffer.from(String(value));
  try {
    return parseBase64(String(value));
  } catch (thrown) {
    throw invalidAt(first, (thrown as Error).message);
  }
}

/** The fields in which bytes are shown: a text, or base64 of what is not UTF-8. */
export function shownBytesFields(name: string): Record<string, TSchema> {
  return {
    [name]: Type.Optional(
      Type.String({ description: `As UTF-8 text; the first ${MAX_SHOWN} bytes of what is longer.` }),
    ),
    [`${name}_base64`]: Type.Optional(
      Type.String({ description: `In base64, in place of \`${name}\`, where it is not UTF-8.` }),
    ),
  };
}

/** Bytes as the fields of {@link shownBytesFields}. */
export function showBytes(bytes: Uint8Array, name: string): Json {
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MAX_SHOWN));
  // The last character of what is cut may be in two.
  const isText = isUtf8(shown) || (bytes.byteLength > MAX_SHOWN && isUtf8(withoutPart(shown)));
  return isText
    ? { [name]: (isUtf8(shown) ? shown : withoutPart(shown)).toString('utf8') }
    : { [`${name}_base64`]: shown.toString('base64') };
}

/** Without the bytes of a last character that is not whole. */
function withoutPart(bytes: Buffer): Buffer {
  let end = bytes.length - 1;
  while (end > bytes.length - 4 && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

function invalidAt(field: string, message: string): Error {
  return invalid(`${field}: ${message}`, [{ path: `/${field}`, message }]);
}
