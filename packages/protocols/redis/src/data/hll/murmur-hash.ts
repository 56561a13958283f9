/** Blocks of 8 bytes that are hashed in one step. */
const PAGE = 2048;
/** The multiplier of MurmurHash64A, in two halves. */
const MULTIPLIER = { high: 0xc6a4a793, low: 0x5bd1e995 };
const SHIFT = 47;

/** An unsigned integer of 64 bits in two halves. */
export interface Halves {
  readonly high: number;
  readonly low: number;
}

/** The hash MurmurHash64A (Austin Appleby) of a text with one character per byte, made step by step. */
export function* murmurHash(text: string, seed: Halves): Generator<undefined, Halves> {
  const { length } = text;
  let hash = xor(seed, multiply({ high: 0, low: length >>> 0 }));
  const blocks = Math.floor(length / 8);
  for (let block = 0; block < blocks; block += 1) {
    const at = 8 * block;
    hash = multiply(
      xor(hash, multiply(mix(multiply({ high: word(text, at + 4, 4), low: word(text, at, 4) })))),
    );
    if (block % PAGE === PAGE - 1) yield;
  }
  const left = length % 8;
  if (left > 0) {
    const at = 8 * blocks;
    hash = multiply(
      xor(hash, { high: word(text, at + 4, left - 4), low: word(text, at, Math.min(left, 4)) }),
    );
  }
  return mix(multiply(mix(hash)));
}

/** Up to four bytes as a number, the lowest first. */
function word(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index += 1) value |= text.charCodeAt(at + index) << (8 * index);
  return value >>> 0;
}

function xor(one: Halves, two: Halves): Halves {
  return { high: (one.high ^ two.high) >>> 0, low: (one.low ^ two.low) >>> 0 };
}

function mix(value: Halves): Halves {
  return xor(value, { high: 0, low: value.high >>> (SHIFT - 32) });
}

function multiply({ high, low }: Halves): Halves {
  const carry = multiplyHigh(low, MULTIPLIER.low);
  const top = (carry + Math.imul(high, MULTIPLIER.low) + Math.imul(low, MULTIPLIER.high)) >>> 0;
  return { high: top, low: Math.imul(low, MULTIPLIER.low) >>> 0 };
}

/** The upper half of the product of two numbers of 32 bits. */
function multiplyHigh(one: number, two: number): number {
  const [oneLow, oneHigh] = [one & 0xffff, one >>> 16];
  const [twoLow, twoHigh] = [two & 0xffff, two >>> 16];
  const middle = oneHigh * twoLow + ((oneLow * twoLow) >>> 16);
  const other = oneLow * twoHigh + (middle & 0xffff);
  return (oneHigh * twoHigh + Math.floor(middle / 0x10000) + Math.floor(other / 0x10000)) >>> 0;
}
