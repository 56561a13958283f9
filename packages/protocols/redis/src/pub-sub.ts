import { PatternIndex } from '@backlot/core/plugin';
import type { Glob } from './data/glob.js';
import { bulk, push, type Resp } from './wire/reply.js';

/** What a subscription names: a channel, a pattern of channels, or a shard channel. */
export type SubscriptionKind = 'channel' | 'pattern' | 'shard';

/** Who gets messages. */
export interface Listener {
  /** Sends what was not asked for. */
  notify(notice: Notice): void;
}

/** Listeners between which others may be let in. */
const STEP = 64;
/** Bytes of a large message that are encoded at a time. */
const PART = 1024 * 1024;
/** From so many bytes on all listeners share one buffer. */
const SHARED = 16 * 1024;

/** A message as it is sent to all who listen: encoded once for each version of the protocol. */
export class Notice {
  readonly #items: readonly string[];
  readonly #encoded = new Map<Resp, string | Uint8Array>();

  /** @param items - encoded */
  constructor(items: readonly string[]) {
    this.#items = items;
  }

  /** Whether sending it takes long. */
  get isLarge(): boolean {
    return this.#items.some(({ length }) => length >= SHARED);
  }

  encode(resp: Resp): string | Uint8Array {
    let encoded = this.#encoded.get(resp);
    if (encoded === undefined) {
      const made = this.#encoded.get(resp === 3 ? 2 : 3);
      // A large one is encoded before it is sent, and the versions differ in its first byte.
      if (typeof made === 'object')
        encoded = Buffer.concat([Buffer.from(push([], resp)[0] ?? ''), made.subarray(1)]);
      else {
        const text = push(this.#items, resp);
        encoded = text.length < SHARED ? text : Buffer.from(text, 'latin1');
      }
      this.#encoded.set(resp, encoded);
    }
    return encoded;
  }

  /** Encodes what is large, part by part. */
  *prepare(): Generator<undefined, void> {
    if (!this.isLarge || this.#encoded.size > 0) return;
    const head = `*${this.#items.length}\r\n`;
    const bytes = Buffer.allocUnsafe(this.#items.reduce((sum, { length }) => sum + length, head.length));
    let at = bytes.write(head, 'latin1');
    for (const item of this.#items) {
      for (let from = 0; from < item.length; from += PART) {
        at += bytes.write(item.slice(from, from + PART), at, 'latin1');
        yield;
      }
    }
    this.#encoded.set(2, bytes);
  }
}

interface PatternListeners {
  readonly pattern: string;
  readonly glob: Glob;
  readonly listeners: Set<Listener>;
}

/** Patterns that begin or end alike. */
type PatternGroup = Map<string, PatternListeners>;

/** Who listens to which channel. */
export class PubSub {
  readonly #channels = new Map<string, Set<Listener>>();
  readonly #shards = new Map<string, Set<Listener>>();
  readonly #patterns = new Map<string, PatternListeners>();
  readonly #patternIndex = new PatternIndex<PatternGroup>();

  /** Listens to a channel from now on. */
  add(kind: 'channel' | 'shard', name: string, listener: Listener): void {
    const channels = this.#of(kind);
    const listeners = channels.get(name);
    if (listeners === undefined) channels.set(name, new Set([listener]));
    else listeners.add(listener);
  }

  /** Listens to all channels that match a pattern from now on. */
  addPattern(pattern: string, glob: Glob, listener: Listener): void {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) {
      known.listeners.add(listener);
      return;
    }
    const made = { pattern, glob, listeners: new Set([listener]) };
    this.#patterns.set(pattern, made);
    this.#patternIndex.change(glob, (group = new Map()) => group.set(pattern, made));
  }

  /** Ends {@link add} and {@link addPattern}. */
  remove(kind: SubscriptionKind, name: string, listener: Listener): void {
    if (kind === 'pattern') {
      this.#removePattern(name, listener);
      return;
    }
    const channels = this.#of(kind);
    const listeners = channels.get(name);
    listeners?.delete(listener);
    if (listeners?.size === 0) channels.delete(name);
  }

  /** Sends a message to all who listen, step by step; gives how many those are. */
  *publish(kind: 'channel' | 'shard', channel: string, message: string): Generator<undefined, number> {
    let count = 0;
    const listeners = this.#of(kind).get(channel);
    if (listeners !== undefined) {
      const notice = new Notice([
        bulk(kind === 'shard' ? 'smessage' : 'message'),
        bulk(channel),
        bulk(message),
      ]);
      count += yield* send(notice, listeners);
    }
    if (kind === 'shard' || this.#patterns.size === 0) return count;
    const groups: PatternGroup[] = [];
    this.#patternIndex.find(channel, groups);
    let seen = 0;
    for (const group of groups) {
      for (const { pattern, glob, listeners: matching } of group.values()) {
        seen += 1;
        if (seen % STEP === 0) yield;
        if (!(yield* glob.testInSteps(channel))) continue;
        const notice = new Notice([bulk('pmessage'), bulk(pattern), bulk(channel), bulk(message)]);
        count += yield* send(notice, matching);
      }
    }
    return count;
  }

  /** The channels that somebody listens to. */
  names(kind: 'channel' | 'shard'): Iterable<string> {
    return this.#of(kind).keys();
  }

  /** How many channels, or patterns, somebody listens to. */
  sizeOf(kind: SubscriptionKind): number {
    return kind === 'pattern' ? this.#patterns.size : this.#of(kind).size;
  }

  /** How many listen to a channel, patterns not counted. */
  countOf(kind: 'channel' | 'shard', name: string): number {
    return this.#of(kind).get(name)?.size ?? 0;
  }

  #removePattern(pattern: string, listener: Listener): void {
    const known = this.#patterns.get(pattern);
    if (known === undefined) return;
    known.listeners.delete(listener);
    if (known.listeners.size > 0) return;
    this.#patterns.delete(pattern);
    this.#patternIndex.change(known.glob, (group) => {
      group?.delete(pattern);
      return group?.size === 0 ? undefined : group;
    });
  }

  #of(kind: 'channel' | 'shard'): Map<string, Set<Listener>> {
    return kind === 'channel' ? this.#channels : this.#shards;
  }
}

function* send(notice: Notice, listeners: ReadonlySet<Listener>): Generator<undefined, number> {
  let count = 0;
  yield* notice.prepare();
  for (const listener of listeners) {
    listener.notify(notice);
    count += 1;
    // The first part of what is large is copied to the socket at once.
    if (notice.isLarge || count % STEP === 0) yield;
  }
  return count;
}
