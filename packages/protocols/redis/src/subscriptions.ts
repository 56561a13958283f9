import type { Glob } from './data/glob.js';
import type { Listener, PubSub, SubscriptionKind } from './pub-sub.js';

/** What a subscription takes in memory beside its name. */
const SUBSCRIPTION_BYTES = 256;

/** Bounds of subscriptions. */
interface Bounds {
  readonly count: number;
  /** What they take in memory, in bytes, roughly. */
  readonly bytes: number;
}

/** What one connection may listen to. */
export const OWN_BOUNDS: Bounds = { count: 16_384, bytes: 16 * 1024 * 1024 };
/** What all connections together may listen to. */
export const COMMON_BOUNDS: Bounds = { count: 131_072, bytes: 64 * 1024 * 1024 };

/** How many subscriptions there are, and what they take. */
export class SubscriptionMeter {
  #count = 0;
  #bytes = 0;

  /** Whether one more fits. */
  admits(bytes: number, bounds: Bounds): boolean {
    return this.#count < bounds.count && this.#bytes + bytes <= bounds.bytes;
  }

  change(count: number, bytes: number): void {
    this.#count += count;
    this.#bytes += bytes;
  }
}

/** What one client listens to. */
export class Subscriptions {
  readonly #pubSub: PubSub;
  readonly #common: SubscriptionMeter;
  readonly #own = new SubscriptionMeter();
  readonly #listener: Listener;
  /** The names, each with what it takes in memory. */
  readonly #names: Readonly<Record<SubscriptionKind, Map<string, number>>> = {
    channel: new Map(),
    pattern: new Map(),
    shard: new Map(),
  };

  constructor(pubSub: PubSub, common: SubscriptionMeter, listener: Listener) {
    this.#pubSub = pubSub;
    this.#common = common;
    this.#listener = listener;
  }

  /** How many there are of one kind. */
  countOf(kind: SubscriptionKind): number {
    return this.#names[kind].size;
  }

  /** How many there are of all kinds. */
  get size(): number {
    const { channel, pattern, shard } = this.#names;
    return channel.size + pattern.size + shard.size;
  }

  /** The names of one kind. */
  namesOf(kind: SubscriptionKind): readonly string[] {
    return [...this.#names[kind].keys()];
  }

  /**
   * Listens to a channel, or to all that match a pattern.
   *
   * @param glob - the pattern, when it is one
   * @returns whether it does so from now on; false: there are too many subscriptions
   */
  add(kind: SubscriptionKind, name: string, glob: Glob | undefined): boolean {
    const names = this.#names[kind];
    if (names.has(name)) return true;
    const bytes = SUBSCRIPTION_BYTES + name.length + (glob?.bytes ?? 0);
    if (!this.#own.admits(bytes, OWN_BOUNDS) || !this.#common.admits(bytes, COMMON_BOUNDS)) return false;
    names.set(name, bytes);
    this.#own.change(1, bytes);
    this.#common.change(1, bytes);
    if (glob !== undefined) this.#pubSub.addPattern(name, glob, this.#listener);
    else if (kind !== 'pattern') this.#pubSub.add(kind, name, this.#listener);
    return true;
  }

  /** Listens to it no more. */
  remove(kind: SubscriptionKind, name: string): void {
    const bytes = this.#names[kind].get(name);
    if (bytes === undefined) return;
    this.#names[kind].delete(name);
    this.#own.change(-1, -bytes);
    this.#common.change(-1, -bytes);
    this.#pubSub.remove(kind, name, this.#listener);
  }

  /** Listens to nothing any more. */
  clear(): void {
    for (const kind of ['channel', 'pattern', 'shard'] as const)
      for (const name of this.#names[kind].keys()) this.remove(kind, name);
  }
}
