import { matchGlob } from './data/glob.js';
import { bulk } from './wire/reply.js';

/** What a subscription names: a channel, a pattern of channels, or a shard channel. */
export type SubscriptionKind = 'channel' | 'pattern' | 'shard';

/** Who gets messages. */
export interface Listener {
  /** Sends what was not asked for, as encoded items. */
  notify(items: readonly string[]): void;
}

/** Who listens to which channel. */
export class PubSub {
  readonly #listeners: Readonly<Record<SubscriptionKind, Map<string, Set<Listener>>>> = {
    channel: new Map(),
    pattern: new Map(),
    shard: new Map(),
  };

  /** Listens to a channel or pattern from now on. */
  add(kind: SubscriptionKind, name: string, listener: Listener): void {
    const listeners = this.#listeners[kind].get(name);
    if (listeners === undefined) this.#listeners[kind].set(name, new Set([listener]));
    else listeners.add(listener);
  }

  /** Ends {@link add}. */
  remove(kind: SubscriptionKind, name: string, listener: Listener): void {
    const listeners = this.#listeners[kind].get(name);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#listeners[kind].delete(name);
  }

  /** Sends a message to all who listen; gives how many those are. */
  publish(kind: 'channel' | 'shard', channel: string, message: string): number {
    let count = 0;
    const listeners = this.#listeners[kind].get(channel);
    if (listeners !== undefined) {
      const items = [bulk(kind === 'shard' ? 'smessage' : 'message'), bulk(channel), bulk(message)];
      for (const listener of listeners) listener.notify(items);
      count += listeners.size;
    }
    if (kind === 'shard') return count;
    for (const [pattern, patternListeners] of this.#listeners.pattern) {
      if (!matchGlob(pattern, channel)) continue;
      const items = [bulk('pmessage'), bulk(pattern), bulk(channel), bulk(message)];
      for (const listener of patternListeners) listener.notify(items);
      count += patternListeners.size;
    }
    return count;
  }

  /** The channels that somebody listens to. */
  names(kind: SubscriptionKind, pattern?: string): string[] {
    const names = [...this.#listeners[kind].keys()];
    return pattern === undefined ? names : names.filter((name) => matchGlob(pattern, name));
  }

  /** How many listen to a channel, patterns not counted. */
  countOf(kind: SubscriptionKind, name: string): number {
    return this.#listeners[kind].get(name)?.size ?? 0;
  }
}
