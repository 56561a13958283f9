import type { Clock } from '@backlot/core/plugin';
import type { KeyTracking, Store } from '../data/store.js';
import { ExpiryAlarm } from '../expiry-alarm.js';
import { fail } from '../wire/errors.js';
import { array, bulk, bulks, integer, nil, push } from '../wire/reply.js';
import { ClientTracking, type TrackedClient, type TrackingOptions } from './client-tracking.js';

/** Most keys that are remembered, most bytes of their names, and most clients of all keys together. */
const MAX_KEYS = 262_144;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_READERS = 1_048_576;
/** Most prefixes of all clients together: every key that is changed is compared with each. */
const MAX_PREFIXES = 1024;
/** Between so many messages others are let in. */
const STEP = 64;
/** Most keys that one message names. */
const MAX_NAMED = 1024;
const CHANNEL = '__redis__:invalidate';

/** What a prefix has brought since its clients were told. */
interface Prefix {
  readonly name: string;
  readonly clients: Set<ClientTracking>;
  /** The keys that have changed, each with the client that has changed it. */
  changed: Map<string, TrackedClient | undefined>;
}

/** A message that waits: a key, or all of them. */
interface Invalidation {
  readonly client: ClientTracking;
  readonly key: string | undefined;
}

/**
 * Tells clients that keep copies of keys when these are no longer true (redis.io, "Client-side caching in Redis"). As in Redis
 * keys are remembered by their names, whatever their database. While nobody tracks, nobody is asked and nothing is kept.
 */
export class Tracking implements KeyTracking {
  readonly #store: Store;
  readonly #sessions: ReadonlyMap<number, TrackedClient>;
  readonly #alarm: ExpiryAlarm;
  readonly #clients = new Set<ClientTracking>();
  /** Who has read which key, the oldest first. */
  readonly #readers = new Map<string, Set<ClientTracking>>();
  readonly #prefixes = new Map<string, Prefix>();
  readonly #changed = new Set<Prefix>();
  #pending: Invalidation[] = [];
  #bytes = 0;
  #readerCount = 0;
  #current: TrackedClient | undefined;

  /** @param sweep - removes what has expired, and publishes what comes of it */
  constructor(store: Store, sessions: ReadonlyMap<number, TrackedClient>, clock: Clock, sweep: () => void) {
    this.#store = store;
    this.#sessions = sessions;
    this.#alarm = new ExpiryAlarm(store, clock, () => {
      this.#current = undefined;
      sweep();
    });
  }

  /** How many clients track. */
  get clientCount(): number {
    return this.#clients.size;
  }

  /** How many keys are remembered. */
  get keyCount(): number {
    return this.#readers.size;
  }

  /** How many prefixes there are. */
  get prefixCount(): number {
    return this.#prefixes.size;
  }

  /** Whether messages wait to be sent. */
  get hasPending(): boolean {
    return this.#pending.length > 0 || this.#changed.size > 0;
  }

  /**
   * Begins to track for a client, or changes how.
   *
   * @throws CommandError when there are too many prefixes
   */
  enable(session: TrackedClient, options: TrackingOptions, prefixes: readonly string[]): void {
    const wanted = options.isBroadcast && prefixes.length === 0 ? [''] : prefixes;
    const fresh = new Set(wanted.filter((prefix) => !this.#prefixes.has(prefix)));
    if (this.#prefixes.size + fresh.size > MAX_PREFIXES)
      fail(`ERR the clients have more than ${MAX_PREFIXES} prefixes together`);
    const client = session.tracking ?? new ClientTracking(session, options);
    session.tracking = client;
    client.options = options;
    client.isRedirectBroken = false;
    this.#clients.add(client);
    this.#store.tracking = this;
    for (const prefix of wanted) {
      client.prefixes.add(prefix);
      const known = this.#prefixes.get(prefix);
      if (known === undefined)
        this.#prefixes.set(prefix, { name: prefix, clients: new Set([client]), changed: new Map() });
      else known.clients.add(client);
    }
    this.#arm();
  }

  /** Tracks for a client no more. */
  disable(session: TrackedClient): void {
    const client = session.tracking;
    if (client === undefined) return;
    session.tracking = undefined;
    this.#clients.delete(client);
    for (const name of client.prefixes) {
      const prefix = this.#prefixes.get(name);
      prefix?.clients.delete(client);
      if (prefix?.clients.size !== 0) continue;
      this.#prefixes.delete(name);
      this.#changed.delete(prefix);
    }
    if (this.#clients.size > 0) return;
    this.#store.tracking = undefined;
    this.#forgetKeys();
    this.#pending = [];
    this.#current = undefined;
    this.#arm();
  }

  /** A client is about to carry a command out. */
  begin(session: TrackedClient): void {
    this.#current = session;
  }

  /** Whether the client whose command is carried out is to hear of the keys that it reads. */
  get isReading(): boolean {
    return this.#current?.tracking?.remembers === true;
  }

  /** Remembers the keys that the client has read whose command is carried out. */
  remember(keys: readonly string[]): void {
    const client = this.#current?.tracking;
    if (client === undefined) return;
    for (const key of keys) this.#remember(key, client);
    while (this.#readers.size > MAX_KEYS || this.#bytes > MAX_BYTES || this.#readerCount > MAX_READERS) {
      const [oldest] = this.#readers.keys();
      if (oldest === undefined) break;
      this.#invalidate(oldest, undefined);
    }
  }

  changed(key: string): void {
    if (this.#readers.size > 0) this.#invalidate(key, this.#current);
    for (const [name, prefix] of this.#prefixes) {
      if (!key.startsWith(name)) continue;
      prefix.changed.set(key, this.#current);
      this.#changed.add(prefix);
    }
  }

  flushed(): void {
    this.#forgetKeys();
    // FLUSHALL empties one database after the other, and is told once.
    const last = this.#pending.at(-1);
    if (last !== undefined && last.key === undefined) return;
    for (const client of this.#clients) this.#pending.push({ client, key: undefined });
  }

  timed(): void {
    this.#arm();
  }

  /** Sends what waits, step by step. */
  *publish(): Generator<undefined, void> {
    let sent = 0;
    while (this.hasPending) {
      const pending = this.#pending;
      this.#pending = [];
      for (const { client, key } of pending) {
        this.#send(client, key === undefined ? undefined : [key]);
        sent += 1;
        if (sent % STEP === 0) yield;
      }
      // In the order of their bytes, as Redis keeps them.
      const prefixes = [...this.#changed].sort((one, two) => (one.name < two.name ? -1 : 1));
      this.#changed.clear();
      for (const prefix of prefixes) yield* this.#broadcast(prefix);
    }
    this.#arm();
  }

  *#broadcast(prefix: Prefix): Generator<undefined, void> {
    const { changed } = prefix;
    prefix.changed = new Map();
    let all: string[] = [];
    for (const key of changed.keys()) {
      all.push(key);
      if (all.length < MAX_NAMED) continue;
      yield* this.#tell(prefix, all, changed);
      all = [];
    }
    yield* this.#tell(prefix, all, changed);
  }

  *#tell(prefix: Prefix, all: string[], changed: Prefix['changed']): Generator<undefined, void> {
    all.sort();
    for (const client of prefix.clients) {
      const keys = client.options.isNoLoop ? all.filter((key) => changed.get(key) !== client.session) : all;
      if (keys.length > 0) this.#send(client, keys);
      yield;
    }
  }

  #remember(key: string, client: ClientTracking): void {
    const readers = this.#readers.get(key);
    if (readers === undefined) {
      this.#readers.set(key, new Set([client]));
      this.#bytes += key.length;
    } else if (readers.has(client)) return;
    else readers.add(client);
    this.#readerCount += 1;
  }

  #invalidate(key: string, by: TrackedClient | undefined): void {
    const readers = this.#readers.get(key);
    if (readers === undefined) return;
    this.#readers.delete(key);
    this.#bytes -= key.length;
    this.#readerCount -= readers.size;
    for (const client of readers) {
      const { isBroadcast, isNoLoop } = client.options;
      if (client.session.tracking === client && !isBroadcast && !(isNoLoop && client.session === by))
        this.#pending.push({ client, key });
    }
  }

  #forgetKeys(): void {
    this.#readers.clear();
    this.#bytes = 0;
    this.#readerCount = 0;
  }

  /** @param keys - absent: all keys */
  #send(client: ClientTracking, keys: readonly string[] | undefined): void {
    const { session, options } = client;
    // It may have left, or track no more.
    if (session.tracking !== client) return;
    const target = options.redirect === 0 ? session : this.#sessions.get(options.redirect);
    if (target === undefined) {
      client.isRedirectBroken = true;
      if (session.resp === 3)
        session.line.push(push([bulk('tracking-redir-broken'), integer(options.redirect)], 3));
      return;
    }
    const what = keys === undefined ? nil(session.resp) : bulks(keys);
    if (target.resp === 3) target.line.push(push([bulk('invalidate'), what], 3));
    else if (target !== session && target.subscriptions.size > 0)
      target.line.push(array([bulk('message'), bulk(CHANNEL), what]));
  }

  /** Watches for the next key that expires: who keeps a copy hears of it at its moment. */
  #arm(): void {
    this.#alarm.set(this.#clients.size > 0);
  }
}
