import { timingSafeEqual } from 'node:crypto';
import type { AuthenticateMessage } from './messages.js';
import { ntlmV1Response, ntlmV2Hash, ntProof, upper } from './responses.js';

/** What a type 3 message must prove. */
export interface NtlmCredentials {
  /** Absent: any user. */
  readonly user: string | undefined;
  /** Absent: any domain. */
  readonly domain: string | undefined;
  /** See `ntHash`. Absent: any password. */
  readonly hash: Uint8Array | undefined;
}

const PROOF_BYTES = 16;
const V1_BYTES = 24;
/** NTProofStr and the fixed part of NTLMv2_CLIENT_CHALLENGE ([MS-NLMP] 2.2.2.7). */
const SHORTEST_V2 = PROOF_BYTES + 28;

/**
 * Whether a type 3 message proves the credentials, by NTLMv2, NTLM2 session or NTLMv1.
 *
 * @returns true, or a sentence that says why not
 */
export function verify(
  message: AuthenticateMessage,
  serverChallenge: Uint8Array,
  credentials: NtlmCredentials,
): true | string {
  if (message.user === '' && message.ntResponse.length === 0) {
    return 'NTLM client is anonymous';
  }
  const { user, domain, hash } = credentials;
  if (user !== undefined && upper(user) !== upper(message.user)) {
    return `NTLM user: got ${show(message.user)}, want ${show(user)}`;
  }
  if (domain !== undefined && upper(domain) !== upper(message.domain)) {
    return `NTLM domain: got ${show(message.domain)}, want ${show(domain)}`;
  }
  if (hash === undefined) {
    return true;
  }
  if (message.ntResponse.length >= SHORTEST_V2) {
    return (
      provesV2(message, serverChallenge, hash) || 'NTLMv2 response does not prove the password of this mock'
    );
  }
  if (message.ntResponse.length === V1_BYTES) {
    return provesV1(message, serverChallenge, hash);
  }
  return message.ntResponse.length === 0 && message.lmResponse.length > 0
    ? 'NTLM client sent an LM response only; want NTLMv2, NTLM2 session or NTLMv1'
    : `NTLM response of ${message.ntResponse.length} bytes; want 24, or at least ${SHORTEST_V2} for NTLMv2`;
}

function provesV2(message: AuthenticateMessage, serverChallenge: Uint8Array, hash: Uint8Array): boolean {
  const proof = message.ntResponse.subarray(0, PROOF_BYTES);
  const blob = message.ntResponse.subarray(PROOF_BYTES);
  // Clients disagree about the domain in the hash: as sent, in upper case, or none.
  return [...new Set([message.domain, upper(message.domain), ''])].some((domain) =>
    timingSafeEqual(proof, ntProof(ntlmV2Hash(hash, message.user, domain), serverChallenge, blob)),
  );
}

function provesV1(
  message: AuthenticateMessage,
  serverChallenge: Uint8Array,
  hash: Uint8Array,
): true | string {
  // Extended session security puts its client challenge and zeros where the LM response was ([MS-NLMP] 3.3.1);
  // that tells it apart whatever the flags claim.
  const { lmResponse } = message;
  const isSession = lmResponse.length === V1_BYTES && lmResponse.subarray(8).every((byte) => byte === 0);
  const clientChallenge = isSession ? lmResponse.subarray(0, 8) : undefined;
  let wanted: Buffer;
  try {
    wanted = ntlmV1Response(hash, serverChallenge, clientChallenge);
  } catch {
    return 'NTLMv1 responses need DES, which this build of Node lacks; use NTLMv2';
  }
  return (
    timingSafeEqual(message.ntResponse, wanted) || 'NTLMv1 response does not prove the password of this mock'
  );
}

function show(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
