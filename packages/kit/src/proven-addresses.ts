import { timers } from './timers.js';

/** The newest so many are known. */
const MAX_ADDRESSES = 10_000;
/** For how long an address counts, in milliseconds: then it may belong to somebody else. */
const LIFETIME = 600_000;

/**
 * The addresses of clients that have shown that they receive what is sent there, by sending back something that only
 * the receiver can know. Any other sender of a datagram may have forged its address, so a server must not send there
 * much more than has come from there. The newest 10,000 addresses are known, each for ten minutes after it was last
 * shown.
 */
export class ProvenAddresses {
  /** Until when each counts, on the wire's clock; the next to be forgotten first. */
  readonly #until = new Map<string, number>();

  /** How many addresses are known. */
  get size(): number {
    return this.#until.size;
  }

  /** Whether an address is known. @param remote - address and port, as {@link formatAddress} writes them */
  has(remote: string): boolean {
    const until = this.#until.get(remote);
    if (until === undefined) return false;
    if (until > timers.now()) return true;
    this.#until.delete(remote);
    return false;
  }

  /** Notes that an address was shown now. */
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
