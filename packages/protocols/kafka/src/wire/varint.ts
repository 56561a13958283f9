import type { ByteWriter } from '@backlot/kit/framing';

/**
 * Writes an unsigned number of at most 32 bits in groups of seven bits, least significant first (protocol guide:
 * UNSIGNED_VARINT).
 */
export function writeVarint(writer: ByteWriter, value: number): void {
  let left = value;
  while (left > 0x7f) {
    writer.u8((left & 0x7f) | 0x80);
    left >>>= 7;
  }
  writer.u8(left);
}

/** Writes a signed number as zigzag does: small ones of both signs are short (VARINT and VARLONG). */
export function writeZigzag(writer: ByteWriter, value: number): void {
  let left = value >= 0 ? value * 2 : value * -2 - 1;
  while (left > 0x7f) {
    writer.u8((left % 0x80) | 0x80);
    left = Math.floor(left / 0x80);
  }
  writer.u8(left);
}

/** Writes a signed 64-bit number from a number. */
export function writeInt64(writer: ByteWriter, value: number): void {
  writer.i32(Math.floor(value / 0x1_0000_0000)).u32(value >>> 0);
}
