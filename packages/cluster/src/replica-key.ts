import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How far the clocks of two machines may be apart, in milliseconds. */
const APART = 5 * 60_000;
const SCHEME = 'Backlot-Replica';

/** What a signature is about. */
interface Signed {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
}

/**
 * By what replicas know each other: a key made of the first entry of the log. It is never sent; each request has a signature of its own, so that who
 * sees one has nothing for another.
 */
export class ReplicaKey {
  readonly #key: Buffer;

  /** @param founding - of the first entry, which those alone know who can write into the log */
  constructor(founding: string) {
    this.#key = createHmac('sha256', founding).update('between replicas').digest();
  }

  /** The header `Authorization` of a request. */
  sign({ method, path }: Signed): string {
    const stamp = `${Date.now()}.${randomBytes(9).toString('base64url')}`;
    return `${SCHEME} ${stamp}.${this.#signatureOf(stamp, method, path).toString('base64url')}`;
  }

  /** Whether a request has such a header, of one of these minutes. */
  admits({ method, path }: Signed, authorization: string): boolean {
    const [, stamp, time, given] =
      /^Backlot-Replica ((\d{1,15})\.[\w-]{12})\.([\w-]{43})$/.exec(authorization) ?? [];
    if (stamp === undefined || given === undefined) return false;
    if (Math.abs(Date.now() - Number(time)) > APART) return false;
    return timingSafeEqual(this.#signatureOf(stamp, method, path), Buffer.from(given, 'base64url'));
  }

  /** Seals what is sent on a connection whose other end has begun with a challenge. */
  seal(challenge: Buffer, bytes: Buffer): Buffer {
    return createHmac('sha256', this.#key).update('handed over\n').update(challenge).update(bytes).digest();
  }

  /** Whether a seal is that of another replica, made for this challenge. */
  hasSealed(challenge: Buffer, bytes: Buffer, seal: Buffer): boolean {
    const own = this.seal(challenge, bytes);
    return own.length === seal.length && timingSafeEqual(own, seal);
  }

  #signatureOf(stamp: string, method: string, path: string): Buffer {
    return createHmac('sha256', this.#key).update(`${stamp}\n${method}\n${path}`).digest();
  }
}
