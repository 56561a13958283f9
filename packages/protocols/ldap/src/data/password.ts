import { createHash } from 'node:crypto';
import { RESULT } from '../result-codes.js';
import { DirectoryError } from './directory-error.js';
import type { Attribute, Entry } from './entry.js';

/** Most bytes of a password that is tried: what hashing it costs must not hold up others. */
const MAX_PASSWORD = 1024;
/** Most values of an entry that are tried. */
const MAX_TRIED = 100;

interface Hash {
  readonly algorithm: string;
  /** Bytes of the digest; what follows them is the salt. */
  readonly size: number;
  readonly isSalted: boolean;
}

const HASHES: ReadonlyMap<string, Hash> = new Map([
  ['MD5', { algorithm: 'md5', size: 16, isSalted: false }],
  ['SMD5', { algorithm: 'md5', size: 16, isSalted: true }],
  ['SHA', { algorithm: 'sha1', size: 20, isSalted: false }],
  ['SSHA', { algorithm: 'sha1', size: 20, isSalted: true }],
  ['SHA256', { algorithm: 'sha256', size: 32, isSalted: false }],
  ['SSHA256', { algorithm: 'sha256', size: 32, isSalted: true }],
  ['SHA384', { algorithm: 'sha384', size: 48, isSalted: false }],
  ['SSHA384', { algorithm: 'sha384', size: 48, isSalted: true }],
  ['SHA512', { algorithm: 'sha512', size: 64, isSalted: false }],
  ['SSHA512', { algorithm: 'sha512', size: 64, isSalted: true }],
]);

/** RFC 2307, section 5.3: a scheme in braces, and the password as it writes it. */
const SCHEME = /^\{([^{}\s]+)\}(.*)$/s;

/** The attribute that holds the passwords of an entry. */
export function passwordsOf(entry: Entry): Attribute | undefined {
  return entry.attributes.find(({ type }) => type === 'userpassword');
}

/**
 * Why a value of userPassword is no password that can be checked; `undefined` for one that can.
 *
 * @param value - as it is kept, such as `secret` or `{SSHA}...`
 */
export function whyUnusable(value: Buffer): string | undefined {
  const [, scheme, text] = SCHEME.exec(value.toString('latin1')) ?? [];
  if (scheme === undefined || text === undefined || isClear(scheme)) return undefined;
  const hash = HASHES.get(scheme.toUpperCase());
  if (hash === undefined) {
    return `userPassword: passwords of the scheme {${scheme}} cannot be checked; use clear text or one of ${listSchemes()}`;
  }
  const { length } = Buffer.from(text, 'base64');
  if (hash.isSalted ? length >= hash.size : length === hash.size) return undefined;
  return `userPassword: {${scheme}} must be followed by the base64 of ${hash.size} bytes${hash.isSalted ? ' and the salt' : ''}, and not of ${length}`;
}

/**
 * Whether a password is one of an entry. An empty one never is (RFC 4513, section 5.1.2).
 *
 * @param warn - is told of the values that cannot be checked
 */
export function hasPassword(entry: Entry, password: string, warn: (why: string) => void): boolean {
  const given = Buffer.from(password, 'utf8');
  if (given.length === 0 || given.length > MAX_PASSWORD) return false;
  for (const value of passwordsOf(entry)?.values.slice(0, MAX_TRIED) ?? []) {
    const why = whyUnusable(value);
    if (why !== undefined) warn(`"${entry.dn.text}" cannot bind: ${why}`);
    else if (isSame(value, given)) return true;
  }
  return false;
}

/**
 * A password as the server keeps the ones that it was asked to set: {SSHA}.
 *
 * @throws DirectoryError for one that could never be used
 */
export function hashPassword(password: Buffer, salt: Buffer): Buffer {
  if (password.length === 0 || password.length > MAX_PASSWORD) {
    throw new DirectoryError(
      RESULT.unwillingToPerform,
      `a password of ${password.length} bytes; it has 1 to ${MAX_PASSWORD}`,
    );
  }
  const digest = createHash('sha1').update(password).update(salt).digest();
  return Buffer.from(`{SSHA}${Buffer.concat([digest, salt]).toString('base64')}`);
}

function isSame(value: Buffer, given: Buffer): boolean {
  const [, scheme = '', text = ''] = SCHEME.exec(value.toString('latin1')) ?? [];
  if (scheme === '') return value.equals(given);
  const hash = HASHES.get(scheme.toUpperCase());
  if (hash === undefined) return Buffer.from(text, 'latin1').equals(given);
  const kept = Buffer.from(text, 'base64');
  const digest = createHash(hash.algorithm).update(given).update(kept.subarray(hash.size)).digest();
  return digest.equals(kept.subarray(0, hash.size));
}

function isClear(scheme: string): boolean {
  return scheme.toUpperCase() === 'CLEARTEXT';
}

function listSchemes(): string {
  return [...HASHES.keys()].map((name) => `{${name}}`).join(', ');
}
