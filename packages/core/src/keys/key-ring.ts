import {
  constants,
  createHmac,
  createPublicKey,
  sign,
  timingSafeEqual,
  verify,
  type KeyObject,
  type SigningOptions,
} from 'node:crypto';
import { BacklotError, messageOf, type Problem } from '../errors.js';
import { parseJson } from '../patterns/parse-json.js';
import { pointTo } from '../validation/pointer.js';
import { makeKey } from './make-key.js';
import type { KeyAlgorithm, KeyDefinition } from './key-schema.js';
import type { Verified } from './verified.js';

/** Characters of a token that are read. */
const MAX_TOKEN = 64 * 1024;

interface Key {
  readonly alg: KeyAlgorithm;
  readonly kid: string;
  readonly key: KeyObject;
}

/** The keys of a host, which sign and verify tokens (RFC 7515, RFC 7519). Each is made when it is first used. */
export class KeyRing {
  readonly #definitions: ReadonlyMap<string, KeyDefinition>;
  readonly #seed: number;
  readonly #keys = new Map<string, Key>();

  constructor(definitions: Readonly<Record<string, KeyDefinition>>, seed: number) {
    this.#definitions = new Map(Object.entries(definitions));
    this.#seed = seed;
  }

  get names(): readonly string[] {
    return [...this.#definitions.keys()];
  }

  /** Whether there is a key of this name. */
  has(name: string): boolean {
    return this.#definitions.has(name);
  }

  /** Makes all keys, so that no message waits for one. @returns what is wrong with any, with its place */
  makeAll(): Problem[] {
    return this.names.flatMap((name) => {
      try {
        this.#key(name);
        return [];
      } catch (thrown) {
        return [{ path: pointTo('/keys', name), message: messageOf(thrown) }];
      }
    });
  }

  /**
   * Signs claims as a JSON Web Token.
   *
   * @param typ - what the header calls it, such as `at+jwt`
   * @throws BacklotError `invalid` when there is no such key
   */
  sign(name: string, claims: object, typ = 'JWT'): string {
    const { alg, kid, key } = this.#key(name);
    const signed = `${encode({ alg, typ, kid })}.${encode(claims)}`;
    return `${signed}.${signatureOf(alg, key, Buffer.from(signed)).toString('base64url')}`;
  }

  /**
   * Verifies the signature of a JSON Web Token, and that `now` is before its `exp` and not before its `nbf`.
   *
   * @param now - milliseconds since 1970
   * @param leeway - milliseconds by which clocks may differ
   * @throws BacklotError `invalid` when there is no such key
   */
  verify(name: string, token: string, now: number, leeway = 0): Verified {
    const { alg, key } = this.#key(name);
    const parts = token.length > MAX_TOKEN ? [] : token.split('.');
    const [head = '', body = '', signature = ''] = parts;
    if (parts.length !== 3) return refused('is no JSON Web Token: it has three parts with dots between');
    const header = decode(head);
    if (header === undefined) return refused('has no header that is JSON');
    if (header['alg'] !== alg) return refused(`is signed with ${show(header['alg'])}, want ${alg}`);
    const bytes = Buffer.from(signature, 'base64url');
    if (!isSigned(alg, key, Buffer.from(`${head}.${body}`), bytes))
      return refused(`has a signature that is not of key "${name}"`);
    const claims = decode(body);
    if (claims === undefined) return refused('has no claims that are JSON');
    const { exp, nbf } = claims;
    if (typeof exp === 'number' && now - leeway >= exp * 1000)
      return refused(`expired at ${dateOf(exp)}, and it is ${dateOf(now / 1000)}`);
    if (typeof nbf === 'number' && now + leeway < nbf * 1000)
      return refused(`is not valid before ${dateOf(nbf)}, and it is ${dateOf(now / 1000)}`);
    return { claims, problem: undefined };
  }

  /**
   * The public keys as a JSON Web Key Set (RFC 7517, section 5); secrets are left out.
   *
   * @param names - those that are wanted; all when absent
   * @throws BacklotError `invalid` when one is not there
   */
  publicKeys(names: readonly string[] = this.names): { readonly keys: readonly object[] } {
    const keys = names
      .map((name) => this.#key(name))
      .filter(({ key }) => key.type !== 'secret')
      .map(({ alg, kid, key }) => ({
        ...createPublicKey(key).export({ format: 'jwk' }),
        kid,
        alg,
        use: 'sig',
      }));
    return { keys };
  }

  #key(name: string): Key {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const definition = this.#definitions.get(name);
    if (definition === undefined) {
      const have = this.names.length === 0 ? 'has none' : `has ${this.names.join(', ')}`;
      throw new BacklotError(
        'invalid',
        `there is no key ${JSON.stringify(name)}; "keys" of the configuration ${have}`,
      );
    }
    const { alg, kid = name } = definition;
    const key = { alg, kid, key: makeKey(name, definition, this.#seed) };
    this.#keys.set(name, key);
    return key;
  }
}

function signatureOf(alg: KeyAlgorithm, key: KeyObject, data: Buffer): Buffer {
  if (alg.startsWith('HS')) return createHmac(digestOf(alg), key).update(data).digest();
  return sign(alg === 'EdDSA' ? null : digestOf(alg), data, { key, ...optionsOf(alg) });
}

function isSigned(alg: KeyAlgorithm, key: KeyObject, data: Buffer, signature: Buffer): boolean {
  if (alg.startsWith('HS')) {
    const wanted = signatureOf(alg, key, data);
    return wanted.length === signature.length && timingSafeEqual(wanted, signature);
  }
  return verify(
    alg === 'EdDSA' ? null : digestOf(alg),
    data,
    { key: createPublicKey(key), ...optionsOf(alg) },
    signature,
  );
}

function digestOf(alg: KeyAlgorithm): string {
  return `sha${alg.slice(2)}`;
}

/** RFC 7518, sections 3.4 and 3.5. */
function optionsOf(alg: KeyAlgorithm): SigningOptions {
  if (alg.startsWith('ES')) return { dsaEncoding: 'ieee-p1363' };
  return alg.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  const [value] = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function refused(problem: string): Verified {
  return { claims: undefined, problem };
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : 'no algorithm';
}

function dateOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}
