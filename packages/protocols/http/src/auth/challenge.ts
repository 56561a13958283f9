import type { HttpChallenge } from './types.js';

/** A 401 that asks for credentials with these `WWW-Authenticate` values. */
export function challengeWith(
  reason: string,
  value: string | readonly string[],
): { readonly challenge: HttpChallenge } {
  return { challenge: { status: 401, headers: { 'www-authenticate': value }, reason } };
}
