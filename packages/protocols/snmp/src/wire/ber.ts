const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** An element (X.690 section 8.1) of these contents. */
export function encodeElement(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const part of contents) length += part.length;
  const head = headLength(length);
  const element = Buffer.allocUnsafe(head + length);
  element[0] = tag;
  if (head === 2) element[1] = length;
  else {
    element[1] = 0x80 + head - 2;
    element.writeUIntBE(length, 2, head - 2);
  }
  let offset = head;
  for (const part of contents) {
    element.set(part, offset);
    offset += part.length;
  }
  return element;
}

/** A SEQUENCE of these elements. */
export function encodeSequence(elements: readonly Uint8Array[]): Buffer {
  return encodeElement(SEQUENCE, ...elements);
}

/** An integer, or one of its kin with another tag; any number JavaScript holds exactly. */
export function encodeInteger(value: number, tag = INTEGER): Buffer {
  if (value >= -128 && value < 128) return Buffer.from([tag, 1, value & 0xff]);
  const octets: number[] = [];
  let rest = value;
  for (; rest < -128 || rest > 127; rest = Math.floor(rest / 256)) octets.unshift(rest & 0xff);
  octets.unshift(rest & 0xff);
  return Buffer.from([tag, octets.length, ...octets]);
}

/** Octets that the tag and the length of an element take. */
export function headLength(length: number): number {
  if (length < 0x80) return 2;
  if (length < 0x100) return 3;
  return length < 0x10000 ? 4 : 5;
}
