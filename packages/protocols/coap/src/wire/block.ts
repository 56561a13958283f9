/** The value of a Block1 or Block2 option (RFC 7959 section 2.2). */
export interface Block {
  readonly number: number;
  readonly hasMore: boolean;
  /** The exponent of the size: the block has 2^(exponent + 4) octets. */
  readonly exponent: number;
}

/** The exponent of the largest block, 1,024 octets. */
export const MAX_EXPONENT = 6;

/** Octets of a block. */
export function sizeOf(exponent: number): number {
  return 1 << (exponent + 4);
}

/** Reads an option's value, `undefined` for the reserved exponent 7. */
export function readBlock(value: number): Block | undefined {
  const exponent = value & 7;
  if (exponent > MAX_EXPONENT) return undefined;
  return { number: value >>> 4, hasMore: (value & 8) !== 0, exponent };
}

/** The option's value. */
export function blockValue({ number, hasMore, exponent }: Block): number {
  return (number << 4) | (hasMore ? 8 : 0) | exponent;
}
