/** The tags of values that certificates are made of (X.690). */
export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  identifier: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A value of X.509 as it stands in bytes. */
export interface DerValue {
  readonly tag: number;
  /** What stands behind its tag and length. */
  readonly content: Buffer;
  /** All of it. */
  readonly whole: Buffer;
}

/** Writes a value of the distinguished encoding rules (X.690). */
export function der(tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const digits = length.toString(16);
  const octets = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | octets.length), octets, content]);
}

/** Writes an object identifier, such as `2.5.29.17`. */
export function derIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return der(DER.identifier, Uint8Array.from([first * 40 + second, ...others].flatMap(base128)));
}

/** Writes a time, milliseconds since 1970: with two digits for the year up to 2049 (RFC 5280, 4.1.2.5). */
export function derTime(time: number): Buffer {
  const text = `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  return text < '2050' ? der(DER.utcTime, text.slice(2)) : der(DER.generalizedTime, text);
}

/** The values that stand one behind the other in some bytes. */
export function readDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes.readUInt8(at + 1);
    const octets = short < 0x80 ? 0 : short & 0x7f;
    const start = at + 2 + octets;
    const end = start + (octets === 0 ? short : bytes.readUIntBE(at + 2, octets));
    values.push({
      tag: bytes.readUInt8(at),
      content: bytes.subarray(start, end),
      whole: bytes.subarray(at, end),
    });
    at = end;
  }
  return values;
}

/** The digits of a number to the base of 128; all but the last have their highest bit set. */
function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let left = number >>> 7; left > 0; left >>>= 7) digits.unshift(0x80 | (left & 0x7f));
  return digits;
}
