import { hashWith, isSession, type DigestAlgorithm } from './algorithms.js';

/** What a digest response is computed from, beside the credentials. */
export interface DigestRequest {
  readonly algorithm: DigestAlgorithm;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  /** Absent in the form of RFC 2069, which has neither count nor client nonce. */
  readonly protection?: {
    readonly qop: 'auth' | 'auth-int';
    /** The nonce count as sent: eight hex digits. */
    readonly nc: string;
    readonly cnonce: string;
  };
  /** The client nonce, where a session algorithm comes without `protection`. */
  readonly cnonce?: string;
  /** For `auth-int`. */
  readonly body?: Uint8Array;
}

/**
 * H(user ":" realm ":" password), the part of A1 that does not change (RFC 7616, section 3.4.2).
 *
 * @param encoding - how the client encodes characters beyond ASCII
 */
export function hashCredentials(
  algorithm: DigestAlgorithm,
  credentials: { readonly username: string; readonly realm: string; readonly password: string },
  encoding: 'utf8' | 'latin1' = 'utf8',
): string {
  const { username, realm, password } = credentials;
  return hashWith(algorithm, Buffer.from(`${username}:${realm}:${password}`, encoding));
}

/** The `response` that proves the credentials (RFC 7616, section 3.4.1; RFC 2617; RFC 2069). */
export function digestResponse(credentialsHash: string, request: DigestRequest): string {
  const { algorithm, nonce, method, uri, protection } = request;
  // Header texts have one character per byte, so latin1 gives back the bytes that the client hashed.
  const hash = (text: string): string => hashWith(algorithm, Buffer.from(text, 'latin1'));
  const cnonce = protection?.cnonce ?? request.cnonce ?? '';
  const a1 = isSession(algorithm) ? hash(`${credentialsHash}:${nonce}:${cnonce}`) : credentialsHash;
  const entity =
    protection?.qop === 'auth-int' ? `:${hashWith(algorithm, request.body ?? new Uint8Array(0))}` : '';
  const a2 = hash(`${method}:${uri}${entity}`);
  const middle = protection === undefined ? '' : `${protection.nc}:${protection.cnonce}:${protection.qop}:`;
  return hash(`${a1}:${nonce}:${middle}${a2}`);
}
