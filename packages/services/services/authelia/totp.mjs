import { createHmac } from 'node:crypto';
import { isSame } from '../../identity/index.mjs';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP = 30_000;

/** Whether a code is that of a secret in base32 now, or in the step before or after (RFC 6238). */
export function isCode(secret, code, time) {
  const key = bytesOf(secret);
  return [-1, 0, 1].some((step) => isSame(code, codeOf(key, Math.floor(time / STEP) + step)));
}

function codeOf(key, counter) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(counter));
  const digest = createHmac('sha1', key).update(bytes).digest();
  const at = digest[19] & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

function bytesOf(text) {
  const bits = [...text.toUpperCase().replaceAll('=', '')]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}
