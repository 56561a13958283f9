import type { Directory } from '../data/directory.js';
import { DirectoryError } from '../data/directory-error.js';
import { parseDn } from '../data/dn.js';
import { modifyEntry, type Stamps } from '../data/make-entry.js';
import { hashPassword, hasPassword } from '../data/password.js';
import { RESULT } from '../result-codes.js';
import { BerReader } from '../wire/ber-reader.js';
import { element, octets } from '../wire/encode.js';
import { TAG } from '../wire/tags.js';

/** What a client asks for (RFC 3062, section 2). */
export interface PasswordChange {
  /** A DN, perhaps behind `dn:`; absent: who has bound. */
  readonly identity: string | undefined;
  readonly oldPassword: string | undefined;
  /** Absent: the server makes one. */
  readonly newPassword: Buffer | undefined;
}

/**
 * Reads the value of the request.
 *
 * @throws ProtocolError
 */
export function decodePasswordChange(value: Buffer | undefined): PasswordChange {
  const reader = value === undefined ? undefined : new BerReader(value).inside(TAG.sequence);
  const identity = reader?.tag === 0x80 ? reader.text(0x80) : undefined;
  const oldPassword = reader?.tag === 0x81 ? reader.text(0x81) : undefined;
  const newPassword = reader?.tag === 0x82 ? reader.bytes(0x82) : undefined;
  return { identity, oldPassword, newPassword };
}

/**
 * Gives an entry another password in place of all that it has (RFC 3062). As for other changes, who has bound does not matter.
 *
 * @param bound - who has bound, as whoami says it
 * @returns the value of the response: a password that was made here; `undefined` when the client has given one
 * @throws DirectoryError
 */
export function modifyPassword(
  change: PasswordChange,
  bound: string,
  directory: Directory,
  stamps: Stamps,
): Buffer | undefined {
  const name = change.identity ?? bound;
  if (name === '') {
    throw new DirectoryError(
      RESULT.strongerAuthRequired,
      'who has not bound must name the entry whose password is to change',
    );
  }
  const dn = parseDn(name.replace(/^dn:/i, ''));
  const entry = directory.require(dn);
  if (change.oldPassword !== undefined && !hasPassword(entry, change.oldPassword, () => undefined)) {
    throw new DirectoryError(RESULT.unwillingToPerform, 'the old password is not the one of the entry');
  }
  const made = change.newPassword === undefined ? makePassword(stamps) : undefined;
  const salt = Buffer.from(stamps.newUuid().replaceAll('-', ''), 'hex').subarray(0, 8);
  const hashed = hashPassword(made ?? change.newPassword ?? Buffer.alloc(0), salt);
  const attribute = { name: 'userPassword', values: [hashed] };
  directory.put(modifyEntry(entry, [{ kind: 'replace', attribute }], stamps));
  return made === undefined ? undefined : element(TAG.sequence, octets(made, 0x80));
}

function makePassword(stamps: Stamps): Buffer {
  return Buffer.from(stamps.newUuid().replaceAll('-', '').slice(0, 12));
}
