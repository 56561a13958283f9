import { createCipheriv, createHash, createHmac } from 'node:crypto';
import { md4 } from './md4.js';

/** NTOWFv1 ([MS-NLMP] 3.3.1): what NTLM knows of a password. */
export function ntHash(password: string): Buffer {
  return md4(Buffer.from(password, 'utf16le'));
}

/** NTOWFv2 ([MS-NLMP] 3.3.2). */
export function ntlmV2Hash(hash: Uint8Array, user: string, domain: string): Buffer {
  return hmacMd5(hash, Buffer.from(upper(user) + domain, 'utf16le'));
}

/**
 * NTProofStr ([MS-NLMP] 3.3.2): the first 16 bytes of an NTLMv2 response.
 *
 * @param blob - the rest of the response, as the client sent it
 */
export function ntProof(v2Hash: Uint8Array, serverChallenge: Uint8Array, blob: Uint8Array): Buffer {
  return hmacMd5(v2Hash, Buffer.concat([serverChallenge, blob]));
}

/**
 * The NTLM response of 24 bytes ([MS-NLMP] 3.3.1).
 *
 * @param clientChallenge - given with extended session security, also called NTLM2 session
 */
export function ntlmV1Response(
  hash: Uint8Array,
  serverChallenge: Uint8Array,
  clientChallenge: Uint8Array | undefined,
): Buffer {
  const challenge =
    clientChallenge === undefined
      ? serverChallenge
      : createHash('md5').update(serverChallenge).update(clientChallenge).digest().subarray(0, 8);
  const keys = Buffer.alloc(21);
  keys.set(hash);
  return Buffer.concat([0, 7, 14].map((start) => desEncrypt(keys.subarray(start, start + 7), challenge)));
}

/**
 * Upper case as NTLM has it: character by character, so that `ß` stays one.
 */
export function upper(text: string): string {
  let result = '';
  for (const character of text) {
    const changed = character.toUpperCase();
    result += changed.length === character.length ? changed : character;
  }
  return result;
}

function hmacMd5(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('md5', key).update(data).digest();
}

/**
 * DES with 56 bits of key. OpenSSL 3 has single DES in its legacy provider only; triple DES with three equal keys
 * is the same function.
 */
function desEncrypt(key: Uint8Array, block: Uint8Array): Buffer {
  const spread = Buffer.alloc(8);
  let bits = 0n;
  for (const byte of key) {
    bits = (bits << 8n) | BigInt(byte);
  }
  for (let index = 7; index >= 0; index -= 1) {
    // Seven bits of key, then a parity bit that DES ignores.
    spread[index] = Number((bits & 0x7fn) << 1n);
    bits >>= 7n;
  }
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([spread, spread, spread]), null);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}
