import { timers } from '@backlot/kit';

/** RFC 7959 section 2.5: what is incomplete after EXCHANGE_LIFETIME may be dropped. */
const LIFETIME = 247_000;
const MAX_OF_CLIENT = 8;
const MAX_ENTRIES = 1024;
const MAX_BYTES = 64 * 1024 * 1024;

interface Kept<T> {
  readonly remote: string;
  readonly key: string;
  readonly value: T;
  readonly expires: number;
  bytes: number;
}

/** What block-wise transfers need between two blocks, of all clients: bounded by time, number and bytes. */
export class Transfers<T> {
  readonly #clients = new Map<string, Map<string, Kept<T>>>();
  /** All of them, oldest first. */
  readonly #all = new Set<Kept<T>>();
  #bytes = 0;

  get(remote: string, key: string): T | undefined {
    const kept = this.#clients.get(remote)?.get(key);
    return kept !== undefined && kept.expires > timers.now() ? kept.value : undefined;
  }

  /** Keeps something in place of what is kept under the key. */
  set(remote: string, key: string, value: T, bytes: number): void {
    this.delete(remote, key);
    // A key holds the options of its requests, which may be the larger part.
    const size = bytes + key.length;
    const kept: Kept<T> = { remote, key, value, bytes: size, expires: timers.now() + LIFETIME };
    let ofClient = this.#clients.get(remote);
    if (ofClient === undefined) this.#clients.set(remote, (ofClient = new Map<string, Kept<T>>()));
    ofClient.set(key, kept);
    this.#all.add(kept);
    this.#bytes += size;
    if (ofClient.size > MAX_OF_CLIENT) this.#dropFirst(ofClient.values());
    this.#makeRoom();
  }

  /** Counts bytes that were added to what is kept. */
  grow(remote: string, key: string, bytes: number): void {
    const kept = this.#clients.get(remote)?.get(key);
    if (kept === undefined) return;
    kept.bytes += bytes;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  delete(remote: string, key: string): void {
    const kept = this.#clients.get(remote)?.get(key);
    if (kept !== undefined) this.#drop(kept);
  }

  #makeRoom(): void {
    const now = timers.now();
    for (const kept of this.#all) {
      if (kept.expires > now && this.#bytes <= MAX_BYTES && this.#all.size <= MAX_ENTRIES) return;
      this.#drop(kept);
    }
  }

  #dropFirst(values: Iterable<Kept<T>>): void {
    for (const kept of values) return this.#drop(kept);
  }

  #drop(kept: Kept<T>): void {
    this.#all.delete(kept);
    this.#bytes -= kept.bytes;
    const ofClient = this.#clients.get(kept.remote);
    ofClient?.delete(kept.key);
    if (ofClient?.size === 0) this.#clients.delete(kept.remote);
  }
}
