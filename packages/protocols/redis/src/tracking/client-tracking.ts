import type { Resp } from '../wire/reply.js';

/** How a client wants to hear of keys (redis.io, command page of CLIENT TRACKING). */
export interface TrackingOptions {
  /** The id of the connection that gets the messages; 0: its own. */
  readonly redirect: number;
  /** Whether it hears of all keys that begin with its prefixes, read or not. */
  readonly isBroadcast: boolean;
  readonly isOptIn: boolean;
  readonly isOptOut: boolean;
  /** Whether it does not hear of what it changes itself. */
  readonly isNoLoop: boolean;
}

/** A client that may keep copies of keys. */
export interface TrackedClient {
  readonly resp: Resp;
  readonly line: { push(message: string): void };
  readonly subscriptions: { readonly size: number };
  /** `undefined`: it tracks nothing. */
  tracking: ClientTracking | undefined;
}

/** What one client that keeps copies of keys is told. */
export class ClientTracking {
  readonly session: TrackedClient;
  options: TrackingOptions;
  /** What it hears of in the broadcasting mode. */
  readonly prefixes = new Set<string>();
  /** CLIENT CACHING: what is said of the next command. */
  caching: 'yes' | 'no' | undefined;
  /** Whether what was said of the next command holds on: that is a transaction. */
  holdsCaching = false;
  /** Whether the connection that gets the messages is gone. */
  isRedirectBroken = false;

  constructor(session: TrackedClient, options: TrackingOptions) {
    this.session = session;
    this.options = options;
  }

  /** Whether the keys that it reads now are to be remembered. */
  get remembers(): boolean {
    const { isBroadcast, isOptIn, isOptOut } = this.options;
    if (isBroadcast) return false;
    if (isOptIn) return this.caching === 'yes';
    return !isOptOut || this.caching !== 'no';
  }
}
