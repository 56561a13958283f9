import { checkAt, readGivenBytes, type ValueOf } from '@backlot/core/plugin';
import type { FaultSchema } from './schemas.js';

const PREFIX = 'hex:';

/** Whether a text names bytes by their hexadecimal digits. */
export function isHex(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * The bytes of `hex:` and digits in pairs, in any case, with white space anywhere between them.
 *
 * @throws Error when something else follows, or half a byte
 */
export function parseHex(text: string): Buffer {
  const digits = text.slice(PREFIX.length).replace(/\s+/g, '');
  const wrong = /[^0-9a-fA-F]/.exec(digits)?.[0];
  if (wrong !== undefined)
    throw new Error(`"${clip(text)}" has "${wrong}" in it; use pairs of hexadecimal digits after hex:`);
  if (digits.length === 0 || digits.length % 2 === 1) {
    throw new Error(
      `"${clip(text)}" has ${digits.length} hexadecimal digits; use two for each byte, one byte at least`,
    );
  }
  return Buffer.from(digits, 'hex');
}

/**
 * What a fault sends; `undefined` when it sends nothing and closes.
 *
 * @throws BacklotError `invalid` for what are no bytes, and for two forms of them at once
 */
export function faultPayload(fault: ValueOf<typeof FaultSchema>): Buffer | undefined {
  const { response, json, response_base64: base64 } = fault;
  if (response === undefined && json === undefined && base64 === undefined) return undefined;
  const bytes = readGivenBytes({ ...fault }, 'response');
  return response !== undefined && isHex(response) ? checkAt('/response', () => parseHex(response)) : bytes;
}

function clip(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
