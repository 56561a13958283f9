import type { KeptBytes } from '@backlot/kit';

/** The four types of a message (RFC 7252 section 3). */
export const TYPE = { CON: 0, NON: 1, ACK: 2, RST: 3 } as const;

/** An option: its number, and where its value stands in the datagram. */
export interface OptionSpan {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** A message that was read. Everything in it is a view of the datagram. */
export interface Packet {
  readonly data: Buffer;
  /** One of {@link TYPE}. */
  readonly type: number;
  readonly code: number;
  readonly messageId: number;
  readonly token: Buffer;
  /** In the order of their numbers. */
  readonly options: readonly OptionSpan[];
  readonly payload: Buffer | undefined;
}

/** `ignore`: no message of this protocol. `reject`: a message with a format error, which a CON is told by a Reset. */
export type Unreadable = 'ignore' | 'reject';

const HEADER = 4;
const MAX_TOKEN = 8;
const PAYLOAD_MARKER = 0xff;
const HIGHEST_OPTION = 65_535;

/** The type in the first octet of a message. */
export function typeOf(data: Buffer): number {
  return ((data[0] ?? 0) >> 4) & 3;
}

/** The message id of a message of four octets or more. */
export function messageIdOf(data: Buffer): number {
  return ((data[2] ?? 0) << 8) | (data[3] ?? 0);
}

/** Reads a datagram (RFC 7252 section 3). Nothing is allocated by what a length in it claims. */
export function decode(data: Buffer): Packet | Unreadable {
  const first = data[0] ?? 0;
  // Section 3: messages of other versions must be silently ignored.
  if (data.length < HEADER || first >> 6 !== 1) return 'ignore';
  const tokenLength = first & 0x0f;
  const code = data[1] ?? 0;
  const optionsAt = HEADER + tokenLength;
  if (tokenLength > MAX_TOKEN || optionsAt > data.length) return 'reject';
  // Section 4.1: an Empty message has nothing after its message id.
  if (code === 0 && data.length > HEADER) return 'reject';
  const options: OptionSpan[] = [];
  const payloadAt = readOptions(data, optionsAt, options);
  if (payloadAt === undefined) return 'reject';
  return {
    data,
    type: typeOf(data),
    code,
    messageId: messageIdOf(data),
    token: data.subarray(HEADER, optionsAt),
    options,
    payload: payloadAt < data.length ? data.subarray(payloadAt) : undefined,
  };
}

/** The same packet in octets of its own. */
export function copyPacket(packet: Packet, kept: KeptBytes): Packet {
  const data = kept.copy(packet.data);
  const { token, payload } = packet;
  return {
    ...packet,
    data,
    token: data.subarray(HEADER, HEADER + token.length),
    payload: payload && data.subarray(data.length - payload.length),
  };
}

/** @returns where the payload begins, the end of the datagram when there is none, `undefined` for a format error */
function readOptions(data: Buffer, from: number, options: OptionSpan[]): number | undefined {
  let at = from;
  let number = 0;
  while (at < data.length) {
    const head = data[at] ?? 0;
    at += 1;
    // Section 3: a marker without a payload is a format error.
    if (head === PAYLOAD_MARKER) return at < data.length ? at : undefined;
    const deltaSize = extraOctets(head >> 4);
    const lengthSize = extraOctets(head & 0x0f);
    if (deltaSize === undefined || lengthSize === undefined) return undefined;
    if (at + deltaSize + lengthSize > data.length) return undefined;
    number += readExtended(data, at, head >> 4);
    const start = at + deltaSize + lengthSize;
    const end = start + readExtended(data, at + deltaSize, head & 0x0f);
    if (end > data.length || number > HIGHEST_OPTION) return undefined;
    options.push({ number, start, end });
    at = end;
  }
  return at;
}

/** Section 3.1: 13 announces one octet more, 14 two, and 15 is reserved. */
function extraOctets(nibble: number): 0 | 1 | 2 | undefined {
  if (nibble < 13) return 0;
  if (nibble === 13) return 1;
  return nibble === 14 ? 2 : undefined;
}

function readExtended(data: Buffer, at: number, nibble: number): number {
  if (nibble < 13) return nibble;
  const first = data[at] ?? 0;
  return nibble === 13 ? first + 13 : ((first << 8) | (data[at + 1] ?? 0)) + 269;
}
