import { timers } from './timers.js';

/** The newest so many are known. */
const MAX_ADDRESSES = 10_000;
/** For how long an address counts, in milliseconds: then it may belong to somebody else. */
const LIFETIME = 600_000;

/**
 * The senders of datagrams that have shown that they receive what is sent to their address, by sending back what only its
 * receiver knows. Who has shown nothing may have forged the address: a server must not send there much more than has come
 * from there. The newest 10,000 are known, each for ten minutes after it has last shown it.
 */
export class ProvenAddresses {
  /** Until when each counts, on the wire's clock; the next to be forgotten first. */
  readonly #until = new Map<string, number>();

  /** How many are known. */
  get size(): number {
    return this.#until.size;
  }

  /** @param remote - address and port, as {@link formatAddress} writes them */
  has(remote: string): boolean {
    const until = this.#until.get(remote);
    if (until === undefined) return false;
    if (until > timers.now()) return true;
    this.#until.delete(remote);
    return false;
  }

  /** An address has shown it now. */
  add(remote: string): void {
    const now = timers.now();
    // Behind all others, which end before it.
    this.#until.delete(remote);
    this.#until.set(remote, now + LIFETIME);
    for (const [first, until] of this.#until) {
      if (until > now && this.#until.size <= MAX_ADDRESSES) return;
      this.#until.delete(first);
    }
  }

  clear(): void {
    this.#until.clear();
  }
}
