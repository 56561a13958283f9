import { canonicalName } from '../mail/mailbox-name.js';
import { writeString } from '../wire/encode.js';
import { decodeName, encodeName } from '../wire/modified-utf7.js';

/** A mailbox name from the wire, canonical. */
export function readName(wire: string): string {
  return canonicalName(decodeName(wire));
}

/** A mailbox name as a response has it. */
export function writeName(name: string): string {
  const encoded = encodeName(name);
  return /^[A-Za-z0-9/._+&,-]+$/.test(encoded) && encoded.toUpperCase() !== 'NIL'
    ? encoded
    : writeString(encoded);
}
