import type { ControlledClock } from '../time/clock.js';
import type { Json, SettingsOf, StoredFault, TypesOf } from './given.js';
import type { JournalReader } from './journal.js';
import type { Kind } from './kind.js';
import type { Protocol } from './protocol.js';
import type { NewScenario, ScenarioCollection } from './scenario.js';
import type { WebhookFactory, WebhookSender } from './webhook.js';

/** The direct faults of all kinds. */
export interface FaultCollection {
  /** Those set, by kind. */
  all(): Readonly<Record<string, StoredFault>>;
  get(kind: string): StoredFault | undefined;
  /** @throws BacklotError `invalid`, `not_found` for a kind without faults */
  set(kind: string, fault: unknown): StoredFault;
  clear(kind: string): void;
  clearAll(): void;
  /** The direct fault overlaid by active scenarios. */
  effective(kind: string): StoredFault | undefined;
  /** Whether the kind can be faulted. */
  has(kind: string): boolean;
}

/** The shared key-value store. */
export interface StateCollection {
  /** How many keys there are, those included that have expired and were not read since. */
  readonly size: number;
  /** All live keys. */
  all(): Readonly<Record<string, string>>;
  /** Those of {@link all}, each looked for when it is asked for: what is changed meanwhile is told as it was, or as it is. */
  entries(): Iterable<readonly [key: string, value: string]>;
  /** Those of these keys that are live. */
  pick(keys: Iterable<string>): Readonly<Record<string, string>>;
  /**
   * All or nothing.
   *
   * @param ttl - milliseconds of virtual time; absent: no expiry
   * @throws BacklotError `invalid` for what is no text, `too_large` beyond 1,000,000 keys or 64 Mi characters
   */
  setAll(values: Readonly<Record<string, string>>, ttl?: number): void;
  /** As {@link setAll}, in slices that let others in, who may see a part of very many keys. */
  setAllInSlices(values: Readonly<Record<string, string>>, ttl?: number): Promise<void>;
  delete(key: string): void;
  /** @returns how many keys were deleted */
  deletePrefix(prefix: string): number;
  /** As {@link deletePrefix}, in slices that let others in. */
  deletePrefixInSlices(prefix: string): Promise<number>;
}

/** An open stream as it is listed. */
export interface StreamView {
  readonly id: string;
  readonly protocol: string;
  readonly mock_id: string;
  readonly started_at: string;
}

/** Which streams are meant: exactly one of the two. */
export interface StreamTarget {
  readonly protocol: string;
  readonly conn_id?: string;
  readonly mock_id?: string;
}

/** The open streams of all kinds. */
export interface StreamCollection {
  list(): readonly StreamView[];
  /** @returns how many streams it was delivered to @throws BacklotError `invalid`, `not_found` */
  push(target: StreamTarget, data: unknown): number;
  /** @returns how many streams were closed @throws BacklotError `invalid`, `not_found` */
  close(target: StreamTarget, error: string | undefined): number;
  /** The kinds that have streams. */
  kinds(): readonly string[];
}

/** A snapshot as it is listed. */
export interface SnapshotView {
  readonly id: string;
  readonly name?: string;
  readonly created_at: string;
}

/**
 * The snapshots. Where an id is asked for, the name does as well.
 *
 * @throws BacklotError `not_found`; `conflict` for a name that several have
 */
export interface SnapshotCollection {
  list(): readonly SnapshotView[];
  /** @param name - what people call it; an empty one is none */
  create(name?: string): SnapshotView;
  get(id: string): SnapshotView;
  remove(id: string): void;
  restore(id: string): void;
}

/** A running set of protocols with the services they share. */
export interface Host {
  readonly version: string;
  readonly clock: ControlledClock;
  /** The seed of this run, given or made up. */
  readonly seed: number;
  /** Installed kinds in the order they were given. */
  readonly kinds: readonly Kind[];
  /**
   * A protocol in this host: by its declaration with all types, or by its name.
   *
   * @throws BacklotError `not_found` when the kind is not installed
   */
  kind<P extends Protocol>(protocol: P): Kind<TypesOf<P>>;
  kind(name: string): Kind;
  hasKind(name: string): boolean;
  readonly faults: FaultCollection;
  readonly scenarios: ScenarioCollection;
  readonly state: StateCollection;
  readonly streams: StreamCollection;
  readonly journal: JournalReader;
  readonly webhooks: WebhookSender | undefined;
  readonly snapshots: SnapshotCollection;
  /** Starts every enabled kind; when one cannot start, none is left listening and this rejects with its error. */
  start(): Promise<void>;
  /** Stops all within the grace (milliseconds, 2,000 when absent). Safe to call twice. */
  stop(grace?: number): Promise<void>;
  /** Everything back to what it was after `start`. Synchronous, so that no message sees half of it. */
  reset(): void;
  readonly health: 'ok' | 'stopping';
  /** Milliseconds of real time since `start`. */
  readonly uptime: number;
}

/** What `createHost` takes. */
export interface HostOptions<P extends readonly Protocol[] = readonly Protocol[]> {
  /** The protocols, in the order in which they are listed; each is started unless its settings say `enabled: false`. */
  readonly protocols: P;
  /** By kind, what the configuration file has below `protocols`. */
  readonly settings?: SettingsOf<P>;
  readonly scenarios?: readonly NewScenario[];
  readonly state?: Readonly<Record<string, string>>;
  readonly vars?: Json;
  readonly logs?: { readonly max_entries?: number; readonly max_bytes?: number };
  readonly seed?: number;
  /** The host for kinds that name none; `localhost` when absent. */
  readonly host?: string;
  /**
   * Where kinds listen that name no port: on a free port (`free`, when absent), or on the protocol's default port, which
   * is left for a free one with a warning when it is in use (`default`).
   */
  readonly ports?: 'free' | 'default';
  readonly webhooks?: WebhookFactory;
  /** Where log lines go; nowhere when absent. */
  readonly log?: (line: {
    readonly level: 'info' | 'warn' | 'error';
    readonly kind: string;
    readonly text: string;
  }) => void;
  /**
   * Whether work that holds the event loop for more than 200 ms is a line of the log: for a process that serves and does
   * nothing else. In a test the event loop is held by the test as well. Default false.
   */
  readonly watchEventLoop?: boolean;
  readonly version?: string;
}
