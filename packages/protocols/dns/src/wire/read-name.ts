import { formatLabel, isSpecial } from './name.js';

/** The root label and the length octets count too (RFC 1035 section 3.1). */
const MAX_NAME = 255;
/** A name has 127 labels at most, so a pointer that brings it further is followed no more often. */
const MAX_POINTERS = 127;
const HEADER = 12;

/** Where a name that was read ends and what it says; reused from call to call so that reading allocates only texts. */
export interface ReadName {
  /** As in {@link DomainName.text}, in the spelling of the message. */
  text: string;
  /** As in {@link DomainName.key}. */
  key: string;
  /** The offset behind the name, -1 when it is malformed. */
  end: number;
}

const plain = Buffer.alloc(MAX_NAME);

/**
 * Reads a name of a message. A compression pointer must lead to an earlier place (RFC 1035 section 4.1.4 calls it a
 * prior occurrence), so that no message can make a reader go in circles, and 127 are followed at most, so that none can
 * lead it along a chain of thousands.
 *
 * @param into - is filled in; `end` is -1 when the name is malformed
 */
export function readName(message: Uint8Array, start: number, into: ReadName): void {
  into.end = -1;
  let at = start;
  let segment = start;
  let length = 0;
  let end = -1;
  let pointers = 0;
  let isPlain = true;
  let hasUpper = false;
  for (;;) {
    const octet = message[at];
    if (octet === undefined) return;
    if (octet === 0) break;
    if (octet >= 0xc0) {
      const low = message[at + 1];
      if (low === undefined) return;
      const target = ((octet & 0x3f) << 8) | low;
      pointers += 1;
      if (target >= segment || target < HEADER || pointers > MAX_POINTERS) return;
      if (end < 0) end = at + 2;
      at = target;
      segment = target;
      continue;
    }
    if (octet > 0x3f) return;
    if (length + octet + 1 > MAX_NAME - 1 || at + octet >= message.length) return;
    if (length > 0) plain[length - 1] = 0x2e;
    for (let index = at + 1; index <= at + octet; index += 1) {
      const character = message[index] ?? 0;
      if (character <= 0x20 || character >= 0x7f || isSpecial(character)) isPlain = false;
      else if (character >= 0x41 && character <= 0x5a) hasUpper = true;
      plain[length++] = character;
    }
    length += 1;
    at += octet + 1;
  }
  if (end < 0) end = at + 1;
  if (length === 0) into.text = '.';
  else into.text = isPlain ? plain.toString('latin1', 0, length - 1) : formatLabels(message, start);
  into.key = hasUpper || !isPlain ? into.text.toLowerCase() : into.text;
  into.end = end;
}

/**
 * Goes over a name that nobody reads: its own labels up to the pointer that it ends with, which is not followed. A message of
 * 64 KB has room for thousands of names, and one place may be the end of all of them.
 *
 * @returns the offset behind the name, -1 when it is malformed
 */
export function skipName(message: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const octet = message[at];
    if (octet === undefined || at - start >= MAX_NAME) return -1;
    if (octet === 0) return at + 1;
    if (octet >= 0xc0) {
      const low = message[at + 1];
      if (low === undefined) return -1;
      const target = ((octet & 0x3f) << 8) | low;
      return target >= start || target < HEADER ? -1 : at + 2;
    }
    if (octet > 0x3f) return -1;
    at += octet + 1;
  }
}

/** The slow way for labels with octets that must be escaped; the name was checked before. */
function formatLabels(message: Uint8Array, start: number): string {
  const labels: string[] = [];
  let at = start;
  for (let octet = message[at] ?? 0; octet !== 0; octet = message[at] ?? 0) {
    if (octet >= 0xc0) {
      at = ((octet & 0x3f) << 8) | (message[at + 1] ?? 0);
      continue;
    }
    labels.push(formatLabel(message.subarray(at + 1, at + 1 + octet)));
    at += octet + 1;
  }
  return labels.join('.');
}
