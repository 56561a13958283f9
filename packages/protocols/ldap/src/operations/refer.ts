import type { Directory } from '../data/directory.js';
import { DirectoryError } from '../data/directory-error.js';
import type { Dn } from '../data/dn.js';
import type { Entry } from '../data/entry.js';
import { referTo } from '../data/referrals.js';
import { RESULT } from '../result-codes.js';
import type { Result } from '../wire/encode.js';
import type { Scope } from '../scopes.js';

/** The result that sends a client to the servers that an entry names. */
export function referralResult(at: Entry, target: Dn, scope?: Scope): Result {
  return { code: RESULT.referral, matchedDn: at.dn.text, referral: referTo(at, target, scope) };
}

/**
 * Sends a client to another server when what it would change or compare is there.
 *
 * @throws DirectoryError
 */
export function refer(directory: Directory, target: Dn): void {
  const at = directory.referralAt(target.key);
  if (at === undefined) return;
  throw new DirectoryError(RESULT.referral, '', at.dn.text, referTo(at, target));
}
