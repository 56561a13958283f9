import { OP, OID, TAG } from './tags.js';

/** The outcome of an operation (RFC 4511, section 4.1.9). */
export interface Result {
  readonly code: number;
  readonly matchedDn?: string;
  readonly message?: string;
  /** Addresses of other servers, with the code of a referral. */
  readonly referral?: readonly string[];
}

function lengthSize(length: number): number {
  if (length < 0x80) return 1;
  if (length < 0x100) return 2;
  if (length < 0x10000) return 3;
  return length < 0x1000000 ? 4 : 5;
}

/** How many bytes an element has whose content has so many. */
function sizeOf(length: number): number {
  return 1 + lengthSize(length) + length;
}

/** Writes the tag and the length of an element. Gives where its content begins. */
function writeHead(into: Buffer, at: number, tag: number, length: number): number {
  const more = lengthSize(length) - 1;
  into[at] = tag;
  if (more === 0) into[at + 1] = length;
  else {
    into[at + 1] = 0x80 + more;
    into.writeUIntBE(length, at + 2, more);
  }
  return at + 2 + more;
}

/** An element of parts that are encoded already. */
export function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = Buffer.allocUnsafe(sizeOf(length));
  let at = writeHead(bytes, 0, tag, length);
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A text, UTF-8. */
export function octets(value: string | Buffer, tag: number = TAG.octets): Buffer {
  return element(tag, typeof value === 'string' ? Buffer.from(value, 'utf8') : value);
}

/** A number of 0 or more. */
export function integer(value: number, tag: number = TAG.integer): Buffer {
  const size = integerSize(value);
  const bytes = Buffer.allocUnsafe(2 + size);
  bytes[0] = tag;
  bytes[1] = size;
  bytes.writeIntBE(value, 2, size);
  return bytes;
}

function integerSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x8000) return 2;
  if (value < 0x800000) return 3;
  return value < 0x80000000 ? 4 : 5;
}

/** PartialAttribute (RFC 4511, section 4.1.7). */
export function encodeAttribute(name: string, values: readonly Buffer[]): Buffer {
  return element(TAG.sequence, octets(name), element(TAG.set, ...values.map((value) => octets(value))));
}

/** A message: its number, its operation, and controls that are encoded already. */
export function encodeMessage(id: number, operation: Buffer, controls?: Buffer): Buffer {
  return controls === undefined
    ? element(TAG.sequence, integer(id), operation)
    : element(TAG.sequence, integer(id), operation, controls);
}

/** An answer that is a result and, in some operations, more. */
export function encodeResult(tag: number, result: Result, ...more: readonly Buffer[]): Buffer {
  const { code, matchedDn = '', message = '', referral = [] } = result;
  const addresses =
    referral.length === 0 ? [] : [element(TAG.referral, ...referral.map((each) => octets(each)))];
  return element(
    tag,
    integer(code, TAG.enumerated),
    octets(matchedDn),
    octets(message),
    ...addresses,
    ...more,
  );
}

/** SearchResultReference (RFC 4511, section 4.5.3) in its message. */
export function encodeReference(id: number, addresses: readonly string[]): Buffer {
  return encodeMessage(id, element(OP.searchReference, ...addresses.map((each) => octets(each))));
}

/** Tells a client that its connection ends (RFC 4511, section 4.4.1). */
export function encodeNotice(code: number, message: string): Buffer {
  return encodeMessage(
    0,
    encodeResult(OP.extendedResponse, { code, message }, octets(OID.noticeOfDisconnection, 0x8a)),
  );
}

/** SearchResultEntry (RFC 4511, section 4.5.2) in its message; `attributes` are encoded one after the other. */
export function encodeEntry(id: number, dn: string, attributes: readonly Buffer[]): Buffer {
  let listLength = 0;
  for (const attribute of attributes) listLength += attribute.length;
  const dnLength = Buffer.byteLength(dn, 'utf8');
  const operationLength = sizeOf(dnLength) + sizeOf(listLength);
  const idSize = integerSize(id);
  const messageLength = 2 + idSize + sizeOf(operationLength);
  const bytes = Buffer.allocUnsafe(sizeOf(messageLength));
  let at = writeHead(bytes, 0, TAG.sequence, messageLength);
  at = writeHead(bytes, at, TAG.integer, idSize);
  bytes.writeIntBE(id, at, idSize);
  at = writeHead(bytes, at + idSize, OP.searchEntry, operationLength);
  at = writeHead(bytes, at, TAG.octets, dnLength);
  at += bytes.write(dn, at, dnLength, 'utf8');
  at = writeHead(bytes, at, TAG.sequence, listLength);
  for (const attribute of attributes) {
    bytes.set(attribute, at);
    at += attribute.length;
  }
  return bytes;
}
