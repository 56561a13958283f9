import { isUtf8 } from 'node:buffer';
import type { Values } from './types.js';

/** What follows an authentication scheme in an `Authorization` header. */
export interface Credentials {
  /** The scheme in lower case. */
  readonly scheme: string;
  /** The rest, trimmed; `""` when the scheme stands alone. */
  readonly rest: string;
}

/** All values of a name; none when it is absent. Own properties only. */
export function valuesOf(values: Values, name: string): readonly string[] {
  if (!Object.hasOwn(values, name)) {
    return [];
  }
  const value = values[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/**
 * The credentials of one of these schemes (RFC 9110, section 11.4).
 *
 * @returns the credentials, or a sentence that says what came instead
 */
export function findCredentials(
  headers: Values,
  ...schemes: readonly [string, ...string[]]
): Credentials | string {
  const values = valuesOf(headers, 'authorization');
  let found: string | undefined;
  for (const value of values) {
    const credentials = splitScheme(value);
    if (schemes.includes(credentials.scheme)) {
      return credentials;
    }
    found ??= credentials.scheme;
  }
  return found === undefined
    ? `no Authorization header, want ${schemes[0]} credentials`
    : `Authorization header has scheme ${JSON.stringify(found.slice(0, 40))}, want ${schemes[0]}`;
}

/**
 * Decodes base64 as RFC 4648 has it, both alphabets, padding optional.
 *
 * @returns undefined when it is not base64
 */
export function decodeBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Bytes as text: UTF-8 where they are, else ISO 8859-1, which older clients send. */
export function decodeText(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

function splitScheme(value: string): Credentials {
  const text = value.trim();
  const end = text.search(/[ \t]/);
  return end === -1
    ? { scheme: text.toLowerCase(), rest: '' }
    : { scheme: text.slice(0, end).toLowerCase(), rest: text.slice(end + 1).trim() };
}
