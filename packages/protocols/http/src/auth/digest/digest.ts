import { timingSafeEqual } from 'node:crypto';
import { challengeWith } from '../challenge.js';
import { decodeText, findCredentials } from '../credentials.js';
import type { AuthInput, CompiledAuth } from '../types.js';
import type { DigestAlgorithm } from './algorithms.js';
import { NonceBook } from './nonce-book.js';
import { parseParameters } from './parameters.js';
import { digestResponse, hashCredentials, type DigestRequest } from './response.js';

/** What a digest answer is checked against. */
export interface DigestSettings {
  readonly username: string;
  readonly password: string;
  readonly realm: string;
  /** Offered in this order. */
  readonly algorithms: readonly DigestAlgorithm[];
  readonly qop: 'auth' | 'auth-int';
}

/** Why an answer was refused. */
interface Refusal {
  readonly reason: string;
  /** The credentials are right and only the nonce is not: the client may try again without asking its user. */
  readonly stale?: boolean;
}

// One book for the process: a nonce outlives the mock that issued it, which is compiled anew at each change.
const NONCES = new NonceBook();

/** Digest authentication (RFC 7616), with the forms of RFC 2617 and RFC 2069 that older clients send. */
export function digestAuth(settings: DigestSettings, nonces: NonceBook = NONCES): CompiledAuth {
  const proofs = new Map(
    settings.algorithms.map((algorithm) => [algorithm.toLowerCase(), proofOf(algorithm, settings)]),
  );
  return {
    test(input) {
      const refusal = check(input, settings, proofs, nonces);
      if (refusal === undefined) {
        return true;
      }
      const stale = refusal.stale === true ? ', stale=true' : '';
      const nonce = nonces.issue();
      return challengeWith(
        refusal.reason,
        settings.algorithms.map(
          (algorithm) =>
            `Digest realm="${settings.realm}", qop="${settings.qop}", algorithm=${algorithm}, nonce="${nonce}", ` +
            `opaque="${nonces.opaque}", charset=UTF-8${stale}`,
        ),
      );
    },
  };
}

/** The credentials as an algorithm needs them: one hash for each way that clients encode them. */
interface Proof {
  readonly algorithm: DigestAlgorithm;
  readonly hashes: readonly string[];
}

function proofOf(algorithm: DigestAlgorithm, settings: DigestSettings): Proof {
  const hashes = new Set([hashCredentials(algorithm, settings, 'utf8')]);
  // A character beyond ISO 8859-1 would be cut to its low byte, and another password would prove this one.
  if (!/[^\u0000-\u00ff]/.test(settings.username + settings.password)) {
    hashes.add(hashCredentials(algorithm, settings, 'latin1'));
  }
  return { algorithm, hashes: [...hashes] };
}

function check(
  input: AuthInput,
  settings: DigestSettings,
  proofs: ReadonlyMap<string, Proof>,
  nonces: NonceBook,
): Refusal | undefined {
  const credentials = findCredentials(input.headers, 'digest');
  if (typeof credentials === 'string') {
    return { reason: credentials };
  }
  const parameters = parseParameters(credentials.rest);
  if (parameters === undefined) {
    return {
      reason: 'digest credentials are malformed; want name="value" pairs with commas between, each name once',
    };
  }
  const missing = ['realm', 'nonce', 'uri', 'response'].find((name) => !parameters.has(name));
  if (missing !== undefined) {
    return { reason: `digest credentials have no ${missing}` };
  }
  const get = (name: string): string => parameters.get(name) ?? '';
  const username = usernameOf(parameters);
  if (username !== settings.username) {
    return { reason: `digest user name: got ${show(username)}, want ${show(settings.username)}` };
  }
  if (get('realm') !== settings.realm) {
    return { reason: `digest realm: got ${show(get('realm'))}, want ${show(settings.realm)}` };
  }
  const algorithm = parameters.get('algorithm') ?? 'MD5';
  const proof = proofs.get(algorithm.toLowerCase());
  if (proof === undefined) {
    return { reason: `digest algorithm: got ${show(algorithm)}, want ${settings.algorithms.join(' or ')}` };
  }
  if (parameters.has('opaque') && get('opaque') !== nonces.opaque) {
    return { reason: 'digest opaque is not the one of the challenge' };
  }
  if (originForm(get('uri')) !== originForm(input.target)) {
    return { reason: `digest uri: got ${show(get('uri'))}, want the request target ${show(input.target)}` };
  }
  const protection = protectionOf(parameters, settings.qop);
  if (typeof protection === 'string') {
    return { reason: protection };
  }
  const request: DigestRequest = {
    algorithm: proof.algorithm,
    nonce: get('nonce'),
    method: input.method,
    uri: get('uri'),
    cnonce: get('cnonce'),
    ...(protection === undefined ? {} : { protection }),
    ...(input.body === undefined ? {} : { body: input.body }),
  };
  if (!proof.hashes.some((hash) => equals(get('response').toLowerCase(), digestResponse(hash, request)))) {
    return { reason: 'digest response does not prove the password of this mock' };
  }
  return isFresh(request, input, nonces)
    ? undefined
    : { reason: 'digest nonce is stale: unknown, too old, or used with this count before', stale: true };
}

/** The form of RFC 2069 has no count, so a nonce that is good stays good there. */
function isFresh(request: DigestRequest, input: AuthInput, nonces: NonceBook): boolean {
  if (request.protection === undefined || input.connection === undefined) {
    return nonces.isGood(request.nonce);
  }
  return nonces.use(request.nonce, Number.parseInt(request.protection.nc, 16), input.headers);
}

/** Whether and how the answer uses `qop`, or what is wrong with it. */
function protectionOf(
  parameters: ReadonlyMap<string, string>,
  wanted: 'auth' | 'auth-int',
): DigestRequest['protection'] | string {
  const qop = parameters.get('qop');
  if (qop === undefined && wanted === 'auth') {
    return undefined;
  }
  if (qop !== wanted) {
    return `digest qop: got ${qop === undefined ? 'none' : show(qop)}, want ${show(wanted)}`;
  }
  const nc = parameters.get('nc') ?? '';
  const cnonce = parameters.get('cnonce') ?? '';
  if (!/^[0-9a-f]{8}$/i.test(nc)) {
    return `digest nc: got ${show(nc)}, want eight hex digits`;
  }
  return cnonce === '' ? 'digest credentials have no cnonce' : { qop, nc, cnonce };
}

/** `username`, or `username*` in the notation of RFC 8187 (RFC 7616, section 3.4). */
function usernameOf(parameters: ReadonlyMap<string, string>): string {
  const extended = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('username*') ?? '')?.[1];
  if (extended === undefined) {
    return decodeText(Buffer.from(parameters.get('username') ?? '', 'latin1'));
  }
  try {
    return decodeURIComponent(extended);
  } catch {
    return '';
  }
}

/** A target without scheme and authority, which a proxy's client puts in front of one of the two. */
function originForm(target: string): string {
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}

function equals(got: string, want: string): boolean {
  const bytes = Buffer.from(got);
  const wanted = Buffer.from(want);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

function show(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
