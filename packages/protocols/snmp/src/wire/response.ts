import { headLength } from './ber.js';
import { PDU } from './tags.js';

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** A Response-PDU (RFC 3416 section 3). */
export interface Response {
  readonly requestId: number;
  readonly status: number;
  readonly index: number;
  /** Encoded bindings. */
  readonly bindings: readonly Uint8Array[];
}

/**
 * Writes a Response-PDU in one buffer.
 *
 * @param before - elements that stand before it in a message of v1 or v2c, which is then written around both
 */
export function encodeResponse(
  { requestId, status, index, bindings }: Response,
  before?: Uint8Array,
): Buffer {
  let list = 0;
  for (const binding of bindings) list += binding.length;
  const content =
    integerLength(requestId) + integerLength(status) + integerLength(index) + headLength(list) + list;
  const pdu = headLength(content) + content;
  const message = before === undefined ? 0 : before.length + pdu;
  const octets = Buffer.allocUnsafe(before === undefined ? pdu : headLength(message) + message);
  let at = 0;
  if (before !== undefined) {
    at = putHead(octets, at, SEQUENCE, message);
    octets.set(before, at);
    at += before.length;
  }
  at = putHead(octets, at, PDU.response, content);
  at = putInteger(octets, at, requestId);
  at = putInteger(octets, at, status);
  at = putInteger(octets, at, index);
  at = putHead(octets, at, SEQUENCE, list);
  for (const binding of bindings) {
    octets.set(binding, at);
    at += binding.length;
  }
  return octets;
}

function putHead(octets: Buffer, at: number, tag: number, length: number): number {
  const end = at + headLength(length);
  octets[at] = tag;
  if (length < 0x80) octets[at + 1] = length;
  else {
    octets[at + 1] = 0x80 + end - at - 2;
    octets.writeUIntBE(length, at + 2, end - at - 2);
  }
  return end;
}

/** Octets that an INTEGER takes with its tag and length. */
function integerLength(value: number): number {
  let size = 1;
  for (let rest = value; rest < -128 || rest > 127; rest = Math.floor(rest / 256)) size += 1;
  return 2 + size;
}

function putInteger(octets: Buffer, at: number, value: number): number {
  const end = at + integerLength(value);
  octets[at] = INTEGER;
  octets[at + 1] = end - at - 2;
  let rest = value;
  for (let place = end - 1; place >= at + 2; place -= 1) {
    octets[place] = rest & 0xff;
    rest = Math.floor(rest / 256);
  }
  return end;
}
