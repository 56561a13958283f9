import { parseInt64 } from '../wire/numbers.js';
import { bigEndian, littleEndian } from './bytes.js';
import { ENCODED } from './types.js';

/** A length, or any integer that is not negative. */
export function writeLength(value: number | bigint): string {
  if (value < 64) return String.fromCharCode(Number(value));
  if (value < 16_384) return bigEndian(Number(value) | 0x4000, 2);
  return value <= 0xffff_ffff ? `\x80${bigEndian(value, 4)}` : `\x81${bigEndian(value, 8)}`;
}

/** A text; an integer in its few bytes. */
export function writeText(text: string): string {
  const value = text.length <= 11 ? parseInt64(text) : undefined;
  if (value !== undefined)
    for (const [size, code] of [
      [1, ENCODED.int8],
      [2, ENCODED.int16],
      [4, ENCODED.int32],
    ] as const)
      if (BigInt.asIntN(8 * size, value) === value)
        return String.fromCharCode(code) + littleEndian(value, size);
  return writeLength(text.length) + text;
}

/** Bytes that are no integer, whatever they look like. */
export function writeRaw(bytes: string): string {
  return writeLength(bytes.length) + bytes;
}
