/** Sub-identifiers an OID may have (RFC 2578 section 3.5). */
export const MAX_SUB_IDENTIFIERS = 128;
const MAX_SUB_IDENTIFIER = 2 ** 32 - 1;
const FORM = /^\.?(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+$/;

/** The sub-identifiers of an OID in dotted form; `undefined` when it is none. */
function readSubIdentifiers(text: string): number[] | undefined {
  if (!FORM.test(text)) return undefined;
  const parts = (text.startsWith('.') ? text.slice(1) : text).split('.');
  if (parts.length > MAX_SUB_IDENTIFIERS) return undefined;
  const numbers = parts.map(Number);
  if (numbers.some((number) => number > MAX_SUB_IDENTIFIER)) return undefined;
  const [first = 0, second = 0] = numbers;
  // X.690 section 8.19.4: the first two share one number.
  if (first > 2 || (first < 2 && second > 39) || second > MAX_SUB_IDENTIFIER - 80) return undefined;
  return numbers;
}

/**
 * An OID in the form in which this package compares it, `1.3.6.1`: a leading dot is taken away.
 *
 * @throws Error when it is no OID
 */
export function parseOid(text: string): string {
  if (readSubIdentifiers(text) !== undefined) return text.startsWith('.') ? text.slice(1) : text;
  throw new Error(
    `must be an OID such as 1.3.6.1.2.1.1.1.0 (2 to ${MAX_SUB_IDENTIFIERS} numbers up to 4294967295, the first 0 to 2, the ` +
      `second below 40 after 0 and 1), got ${JSON.stringify(text)}`,
  );
}

/** Whether a text is an OID. */
export function isOid(text: string): boolean {
  return readSubIdentifiers(text) !== undefined;
}

/**
 * A text that sorts as the OID does: two UTF-16 units for each sub-identifier, so that `<` of texts is the lexicographic
 * order of RFC 3416 section 4.2.2.
 */
export function orderKey(oid: string): string {
  let key = '';
  let number = 0;
  for (let i = 0; i <= oid.length; i += 1) {
    const code = i === oid.length ? DOT : oid.charCodeAt(i);
    if (code === DOT) {
      key += String.fromCharCode(Math.floor(number / 65536), number % 65536);
      number = 0;
    } else number = number * 10 + code - ZERO;
  }
  return key;
}

const DOT = 46;
const ZERO = 48;

/** The OID without its last sub-identifier, `undefined` when it has no more than two. */
export function parentOf(oid: string): string | undefined {
  const dot = oid.lastIndexOf('.');
  return dot <= 0 || oid.indexOf('.') === dot ? undefined : oid.slice(0, dot);
}

/** The contents octets of an OID (X.690 section 8.19). */
export function encodeOid(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  const octets: number[] = [];
  for (const number of [first * 40 + second, ...rest]) {
    for (let power = 128 ** 4; power >= 128; power /= 128) {
      if (number >= power) octets.push((Math.floor(number / power) % 128) | 0x80);
    }
    octets.push(number % 128);
  }
  return Buffer.from(octets);
}

/** Whether what net-snmp has read is an OID that one can send back: it reads numbers, but any number of them, and of none `NaN`. */
export function isReadOid(oid: string): boolean {
  let dots = 0;
  for (let i = 0; i < oid.length; i += 1) {
    const code = oid.charCodeAt(i);
    if (code === DOT) dots += 1;
    else if (code < ZERO || code > ZERO + 9) return false;
  }
  return dots > 0 && dots < MAX_SUB_IDENTIFIERS;
}

/** An OID as net-snmp reads it, which splits first numbers from 120 on wrongly. */
export function correctFirst(oid: string): string {
  if (oid.charCodeAt(1) === DOT && oid.charCodeAt(0) <= ZERO + 2) return oid;
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  return first <= 2 ? oid : [2, (first - 2) * 40 + second, ...rest].join('.');
}
