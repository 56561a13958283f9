import { unescapeQuoted } from './parameters.js';

/** An address of ENVELOPE; a group's beginning has no host, its end no mailbox either (RFC 3501, section 7.4.2). */
export interface Address {
  readonly name: string | undefined;
  readonly mailbox: string | undefined;
  readonly host: string | undefined;
}

const PIECE = /\s+|"(?:[^"\\]|\\[^])*"?|<[^>]*>?|[,;:]|[^\s",;:<()]+|[()]/g;
const GROUP_END: Address = { name: undefined, mailbox: undefined, host: undefined };

/** Reads a list of addresses (RFC 5322, section 3.4) as it is found in the wild; never fails. */
export function parseAddresses(field: string): Address[] {
  const addresses: Address[] = [];
  let words: string[] = [];
  let comment = '';
  let inAngles: string | undefined;
  let isInGroup = false;
  let depth = 0;
  const finish = (): void => {
    const name = words.join('').trim();
    if (inAngles !== undefined) addresses.push(makeAddress(inAngles, nameOf(name)));
    else if (name !== '') addresses.push(makeAddress(name, comment === '' ? undefined : comment.trim()));
    words = [];
    comment = '';
    inAngles = undefined;
  };
  for (const [piece] of field.matchAll(PIECE)) {
    if (piece === '(') {
      depth += 1;
      if (depth === 1) comment = '';
    } else if (piece === ')') depth = Math.max(depth - 1, 0);
    else if (depth > 0) comment += piece;
    else if (piece === ',') finish();
    else if (piece === ':' && !isInGroup) {
      addresses.push({ name: undefined, mailbox: nameOf(words.join('').trim()) ?? '', host: undefined });
      words = [];
      isInGroup = true;
    } else if (piece === ';') {
      finish();
      if (isInGroup) addresses.push(GROUP_END);
      isInGroup = false;
    } else if (piece.startsWith('<')) inAngles = piece.slice(1).replace(/>$/, '');
    else words.push(piece);
  }
  finish();
  if (isInGroup) addresses.push(GROUP_END);
  return addresses;
}

function makeAddress(text: string, name: string | undefined): Address {
  // A source route in front of the address is obsolete.
  const plain = text.trim().replace(/^@[^:]*:/, '');
  const at = plain.lastIndexOf('@');
  const local = at < 0 ? plain : plain.slice(0, at);
  const mailbox = local.startsWith('"') ? (nameOf(local) ?? '') : local.replace(/\s+/g, '');
  return { name, mailbox, host: at < 0 ? '' : plain.slice(at + 1).replace(/\s+/g, '') };
}

/** A display name with its quotes taken off. */
function nameOf(text: string): string | undefined {
  if (text === '') return undefined;
  return text.replace(/"((?:[^"\\]|\\[^])*)"?/g, (_all, inside: string) => unescapeQuoted(inside));
}
