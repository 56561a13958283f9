import { createHash } from 'node:crypto';
import type { AuthDefinition } from '../schema.js';

/** A digest algorithm (RFC 7616, section 3.2 and the IANA registry). */
export type DigestAlgorithm = NonNullable<AuthDefinition['algorithm']>;

/**
 * What is offered unless a mock says otherwise. RFC 7616, section 3.7, wants the stronger one first, but clients that
 * read only the first offer (Python's urllib, older curl) know MD5 alone, and the others are content with either.
 */
export const DEFAULT_ALGORITHMS: readonly DigestAlgorithm[] = ['MD5', 'SHA-256'];

const HASHES: Readonly<Record<DigestAlgorithm, string>> = {
  MD5: 'md5',
  'MD5-sess': 'md5',
  'SHA-256': 'sha256',
  'SHA-256-sess': 'sha256',
  'SHA-512-256': 'sha512-256',
  'SHA-512-256-sess': 'sha512-256',
};

/** H(data) of an algorithm, in lower-case hex. */
export function hashWith(algorithm: DigestAlgorithm, data: string | Uint8Array): string {
  return createHash(HASHES[algorithm]).update(data).digest('hex');
}

/** Whether A1 also covers nonce and cnonce. */
export function isSession(algorithm: DigestAlgorithm): boolean {
  return algorithm.endsWith('-sess');
}
