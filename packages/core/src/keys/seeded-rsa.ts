import { checkPrimeSync, createPrivateKey, type KeyObject } from 'node:crypto';

const BITS = 2048;
/** The public exponent of nearly all keys (RFC 8017, section 3.1). */
const EXPONENT = 65_537n;

/**
 * Makes an RSA key of 2048 bits from bytes that a seed gives, which node:crypto does not offer: it tells primes, and here
 * they are looked for. Takes 100 to 400 ms.
 *
 * @param bytes - gives so many bytes, other ones at each call
 */
export function seededRsaKey(bytes: (count: number) => Buffer): KeyObject {
  const p = prime(bytes);
  let q = prime(bytes);
  while (q === p) q = prime(bytes);
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const jwk = {
    kty: 'RSA',
    n: text(p * q),
    e: text(EXPONENT),
    d: text(d),
    p: text(p),
    q: text(q),
    dp: text(d % (p - 1n)),
    dq: text(d % (q - 1n)),
    qi: text(inverse(q, p)),
  };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

function prime(bytes: (count: number) => Buffer): bigint {
  const drawn = bytes(BITS / 16);
  // The two highest bits make the product have all its bits.
  drawn[0] = (drawn[0] ?? 0) | 0xc0;
  drawn[drawn.length - 1] = (drawn[drawn.length - 1] ?? 0) | 1;
  let candidate = BigInt(`0x${drawn.toString('hex')}`);
  while (candidate % EXPONENT === 1n || !checkPrimeSync(candidate)) candidate += 2n;
  return candidate;
}

/** The number that `value` is multiplied with to give 1 (extended Euclidean algorithm). */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a - quotient * b, y, x - quotient * y];
  }
  return ((x % modulus) + modulus) % modulus;
}

function text(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
