import type { TYPE } from './decode.js';

/** An option to be written; a number is written as a uint, with as few octets as it takes (RFC 7252 section 3.2). */
export interface OptionValue {
  readonly number: number;
  readonly value: Uint8Array | number;
}

const NONE = Buffer.alloc(0);

/** What follows the token: options, which must be in the order of their numbers, and payload. */
export function encodeTail(options: readonly OptionValue[], payload: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const { number, value } of options) {
    const octets = typeof value === 'number' ? encodeUint(value) : value;
    parts.push(encodeOptionHead(number - last, octets.length), octets);
    last = number;
  }
  if (payload.length > 0) parts.push(Buffer.of(0xff), payload);
  return parts.length === 0 ? NONE : Buffer.concat(parts);
}

/** A whole message. */
export function encodeMessage(
  type: number,
  code: number,
  messageId: number,
  token: Buffer,
  tail: Buffer,
): Buffer {
  const tokenLength = token.length;
  const octets = Buffer.allocUnsafe(4 + tokenLength + tail.length);
  octets[0] = 0x40 | (type << 4) | tokenLength;
  octets[1] = code;
  octets[2] = messageId >> 8;
  octets[3] = messageId & 0xff;
  // A token is a few octets: a loop is cheaper than a call.
  for (let index = 0; index < tokenLength; index += 1) octets[4 + index] = token[index] ?? 0;
  octets.set(tail, 4 + tokenLength);
  return octets;
}

/** An Empty message: an acknowledgement or a Reset (RFC 7252 section 4.1). */
export function encodeEmpty(type: typeof TYPE.ACK | typeof TYPE.RST, messageId: number): Buffer {
  return encodeMessage(type, 0, messageId, NONE, NONE);
}

/** A uint without leading zeros; 0 has no octets at all. */
export function encodeUint(value: number): Buffer {
  const octets: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from(octets);
}

function encodeOptionHead(delta: number, length: number): Buffer {
  const octets = [(nibbleOf(delta) << 4) | nibbleOf(length)];
  addExtended(octets, delta);
  addExtended(octets, length);
  return Buffer.from(octets);
}

function nibbleOf(value: number): number {
  if (value < 13) return value;
  return value < 269 ? 13 : 14;
}

function addExtended(octets: number[], value: number): void {
  if (value >= 269) octets.push((value - 269) >> 8, (value - 269) & 0xff);
  else if (value >= 13) octets.push(value - 13);
}
