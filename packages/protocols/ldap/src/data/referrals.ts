import { formatDn, parseDn, type Dn } from './dn.js';
import type { Entry } from './entry.js';

/** An address of LDAP (RFC 4516): the server, and the name after it. */
const ADDRESS = /^(ldap[si]?:\/\/[^/?]*)(?:\/([^?]*))?/i;
/** What would end the name in an address; percent signs and spaces are escaped as in any. */
const ENDS_NAME = /[?#]/g;

/** The addresses that an entry refers to (RFC 3296, 2): those of its `ref`, when it is of the class `referral`. */
export function referencesOf({ attributes }: Entry): readonly string[] | undefined {
  const refs = attributes.find(({ type }) => type === 'ref');
  if (refs === undefined) return undefined;
  const isReferral = attributes.some(
    ({ type, folded }) => type === 'objectclass' && folded.includes('referral'),
  );
  return isReferral ? refs.values.map((value) => value.toString('utf8')) : undefined;
}

/**
 * The addresses as a client is told them: of what it asked for, on the other server (RFC 3296, 5).
 *
 * @param at - the entry that refers to them
 * @param target - what the client asked for: that entry, or a name below it
 * @param scope - of a search there, as addresses name it: `base`, `one` or `sub`
 */
export function referTo(at: Entry, target: Dn, scope?: string): readonly string[] {
  const own = target.parts.slice(0, target.parts.length - at.dn.parts.length);
  return (referencesOf(at) ?? []).map((address) => rewrite(address, target, own, scope));
}

function rewrite(address: string, target: Dn, own: Dn['parts'], scope: string | undefined): string {
  const [, server, name = ''] = ADDRESS.exec(address) ?? [];
  // An address of another kind is told as it is.
  if (server === undefined) return address;
  const dn = nameThere(name, target, own);
  return dn === undefined ? address : `${server}/${escape(dn)}${scope === undefined ? '' : `??${scope}`}`;
}

/** `undefined` for an address whose name cannot be read. */
function nameThere(name: string, target: Dn, own: Dn['parts']): string | undefined {
  if (name === '') return target.text;
  try {
    const there = decodeURIComponent(name);
    return own.length === 0 ? there : formatDn([...own, ...parseDn(there).parts]);
  } catch {
    return undefined;
  }
}

function escape(dn: string): string {
  return encodeURI(dn).replace(ENDS_NAME, encodeURIComponent);
}
