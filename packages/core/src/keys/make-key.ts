import {
  createECDH,
  createHmac,
  createPrivateKey,
  createSecretKey,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { invalid, messageOf } from '../errors.js';
import type { KeyAlgorithm, KeyDefinition } from './key-schema.js';
import { seededRsaKey } from './seeded-rsa.js';

interface Curve {
  readonly name: string;
  readonly crv: string;
  readonly bytes: number;
}

const CURVES: ReadonlyMap<string, Curve> = new Map([
  ['ES256', { name: 'prime256v1', crv: 'P-256', bytes: 32 }],
  ['ES384', { name: 'secp384r1', crv: 'P-384', bytes: 48 }],
  ['ES512', { name: 'secp521r1', crv: 'P-521', bytes: 66 }],
]);
/** What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Keys that were made from a seed: an RSA key takes long, and a host that is only checked needs the same one. */
const made = new Map<string, KeyObject>();
const MAX_MADE = 100;

/**
 * Makes the private or secret key of a definition: the given one, or one from the seed, the same for the same seed, name and
 * algorithm.
 *
 * @throws invalid for a key that cannot be read or does not fit its algorithm
 */
export function makeKey(name: string, definition: KeyDefinition, seed: number): KeyObject {
  const given = givenKey(definition);
  if (given !== undefined) {
    checkFits(definition.alg, given);
    return given;
  }
  const id = JSON.stringify([seed, name, definition.alg]);
  const known = made.get(id);
  if (known !== undefined) return known;
  let count = 0;
  const key = keyFromBytes(definition.alg, (length) => {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; left -= 64) {
      parts.push(createHmac('sha512', id).update(String(count)).digest().subarray(0, Math.min(64, left)));
      count += 1;
    }
    return Buffer.concat(parts);
  });
  if (made.size >= MAX_MADE) made.clear();
  made.set(id, key);
  return key;
}

function keyFromBytes(alg: KeyAlgorithm, bytes: (count: number) => Buffer): KeyObject {
  if (alg.startsWith('HS')) return createSecretKey(bytes(64));
  if (alg === 'EdDSA')
    return createPrivateKey({ key: Buffer.concat([ED25519, bytes(32)]), format: 'der', type: 'pkcs8' });
  const curve = CURVES.get(alg);
  return curve === undefined ? seededRsaKey(bytes) : curveKey(curve, bytes);
}

function curveKey({ name, crv, bytes: length }: Curve, bytes: (count: number) => Buffer): KeyObject {
  const exchange = createECDH(name);
  const secret = bytes(length);
  // Below the order of each of the curves: that of P-521 has one bit in its first byte.
  secret[0] = length === 66 ? 0 : (secret[0] ?? 0) & 0x7f;
  exchange.setPrivateKey(secret);
  const point = exchange.getPublicKey();
  const jwk = {
    kty: 'EC',
    crv,
    d: secret.toString('base64url'),
    x: point.subarray(1, 1 + length).toString('base64url'),
    y: point.subarray(1 + length).toString('base64url'),
  };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

function givenKey({ alg, pem, jwk, secret, file }: KeyDefinition): KeyObject | undefined {
  const sources = [pem, jwk, secret, file].filter((source) => source !== undefined);
  if (sources.length > 1) throw invalid('a key has only one of pem, jwk, secret and file');
  if (secret !== undefined) {
    if (!alg.startsWith('HS')) throw invalid(`a secret is for HS256, HS384 and HS512, not for ${alg}`);
    return createSecretKey(Buffer.from(secret));
  }
  try {
    if (jwk !== undefined) return readJwk(jwk);
    const text = pem ?? (file === undefined ? undefined : readFileSync(file, 'utf8'));
    if (text === undefined) return undefined;
    return text.trimStart().startsWith('{')
      ? readJwk(JSON.parse(text) as JsonWebKey)
      : createPrivateKey(text);
  } catch (thrown) {
    throw invalid(`the private key cannot be read: ${messageOf(thrown)}`);
  }
}

function readJwk(jwk: JsonWebKey | Readonly<Record<string, unknown>>): KeyObject {
  const { kty, k } = jwk as { kty?: unknown; k?: unknown };
  if (kty === 'oct') {
    if (typeof k !== 'string') throw new Error('the JSON Web Key has no k');
    return createSecretKey(Buffer.from(k, 'base64url'));
  }
  return createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
}

function checkFits(alg: KeyAlgorithm, key: KeyObject): void {
  const kind = alg.startsWith('HS') ? 'secret' : alg === 'EdDSA' ? 'ed25519' : CURVES.has(alg) ? 'ec' : 'rsa';
  const found = key.type === 'secret' ? 'secret' : (key.asymmetricKeyType ?? 'unknown');
  const curve = CURVES.get(alg)?.name;
  const named = key.asymmetricKeyDetails?.namedCurve;
  if (found !== kind || (curve !== undefined && named !== curve))
    throw invalid(
      `${alg} needs a key of type ${kind}${curve === undefined ? '' : ` on ${curve}`}, got ${found}${named === undefined ? '' : ` on ${named}`}`,
    );
  const bits = key.asymmetricKeyDetails?.modulusLength ?? Infinity;
  if (bits < 2048) throw invalid(`${alg} needs an RSA key of at least 2048 bits, got ${bits}`);
}
