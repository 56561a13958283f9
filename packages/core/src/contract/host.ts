import type { Collection, CollectionDefinition, Collections } from './collections.js';
import type { ControlledClock } from '../time/clock.js';
import type { KeyDefinition } from '../keys/key-schema.js';
import type { Span } from './span.js';
import type { Json, StoredFault } from './given.js';
import type { SettingsOf, TypesOf } from './types-of.js';
import type { JournalCollection } from './journal.js';
import type { Kind } from './kind.js';
import type { Protocol } from './protocol.js';
import type { IncidentCollection } from './incident.js';
import type { NewReaction, ReactionCollection } from './reaction.js';
import type { Reconfigured } from './reconfigured.js';
import type { SpaceCollection, SpaceLimits } from './spaces.js';
import type { MatchChanges, SharedChanges } from './shared-changes.js';
import type { SharedCounts } from './shared-counts.js';
import type { SharedPorts } from './shared-ports.js';
import type { StoredData } from './stored-data.js';
import type { NewScenario, ScenarioCollection } from './scenario.js';
import type { BegunCheck, Check, MessagesElsewhere, Verdict } from './verification.js';
import type { ToxicCollection } from './toxics.js';
import type { Trouble } from './trouble.js';
import type { WebhookFactory, WebhookSender } from './webhook.js';

/** The direct faults of all kinds. */
export interface FaultCollection {
  /** The faults that are set, by kind. */
  all(): Readonly<Record<string, StoredFault>>;
  /** The direct fault of a kind, as it was given. @throws BacklotError `not_found` for a kind without faults */
  get(kind: string): StoredFault | undefined;
  /**
   * Sets the direct fault of a kind, in place of an earlier one.
   *
   * @throws BacklotError `invalid`; `not_found` for a kind without faults
   */
  set(kind: string, fault: unknown): StoredFault;
  clear(kind: string): void;
  clearAll(): void;
  /** What hits messages of a kind now: its direct fault overlaid by those of active scenarios. */
  effective(kind: string): StoredFault | undefined;
  /** Whether a kind declares faults, set or not. */
  canFault(kind: string): boolean;
}

/** The key-value store that all kinds share. */
export interface StateCollection {
  /** How many keys are held. Expired ones count until they are read. */
  readonly size: number;
  /** All keys that have not expired, with their values. */
  all(): Readonly<Record<string, string>>;
  /**
   * The keys of {@link all}, read one at a time. A key that changes meanwhile comes with its old or its new value; one
   * that is added meanwhile is left out.
   */
  entries(): Iterable<readonly [key: string, value: string]>;
  /** The values of those of the given keys that are set and have not expired. */
  pick(keys: Iterable<string>): Readonly<Record<string, string>>;
  /**
   * Sets all of these keys, or none when it throws.
   *
   * @param ttl - milliseconds of virtual time after which they expire; never when absent
   * @throws BacklotError `invalid` for a value that is not a text, `too_large` when the store would hold more than
   * 1,000,000 keys or 64 Mi characters
   */
  setAll(values: Readonly<Record<string, string>>, ttl?: number): void;
  /**
   * As {@link setAll}, in slices, between which other work is done. When there are very many keys, that work may see only some of
   * them set.
   */
  setAllInSlices(values: Readonly<Record<string, string>>, ttl?: number): Promise<void>;
  /** Deletes a key; does nothing when it is not set. */
  delete(key: string): void;
  /** Deletes all keys that begin with a text. @returns how many keys were deleted */
  deletePrefix(prefix: string): number;
  /** As {@link deletePrefix}, in slices, between which other work is done. */
  deletePrefixInSlices(prefix: string): Promise<number>;
}

/** An open stream as it is listed. */
export interface StreamView {
  readonly id: string;
  readonly protocol: string;
  readonly mock_id: string;
  readonly started_at: string;
}

/**
 * Which open streams of a kind are meant: one by its id, or all of a mock. Give exactly one of `conn_id` and `mock_id`.
 */
export interface StreamTarget {
  readonly protocol: string;
  readonly conn_id?: string;
  readonly mock_id?: string;
}

/** The open streams of all kinds. */
export interface StreamCollection {
  list(): readonly StreamView[];
  /**
   * Sends data into open streams.
   *
   * @returns how many streams it was delivered to
   * @throws BacklotError `invalid` for data that is not valid or a kind without streams; `not_found` when no such
   * stream is open
   */
  push(target: StreamTarget, data: unknown): number;
  /**
   * Ends open streams.
   *
   * @param error - the text of an error to end them with; `undefined` or an empty text ends them normally
   * @returns how many streams were closed
   * @throws BacklotError `invalid` for a kind without streams; `not_found` when no such stream is open
   */
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
 * The snapshots of a host, 100 at most. Each method that takes an id takes the name of a snapshot as well.
 *
 * @throws BacklotError `not_found` when there is no such snapshot; `conflict` for a name that several have
 */
export interface SnapshotCollection {
  list(): readonly SnapshotView[];
  /**
   * Takes a snapshot of mocks, scenarios, faults, toxics, state, collections, counts, captures and the data of plugins.
   *
   * @param name - what people call it; an empty text is no name
   * @param id - its id; made up when absent
   * @throws BacklotError `invalid` when there are 100 snapshots; `conflict` for an id that one has
   */
  create(name?: string, id?: string): SnapshotView;
  get(id: string): SnapshotView;
  remove(id: string): void;
  /** Puts everything back to what it was in the snapshot; the journal and the time stay as they are. */
  restore(id: string): void;
  /**
   * The same, where there may be very many mocks: they are made ready in slices that let other work in, then everything is
   * put back in one step, so no message sees half of it. Several are done one after another.
   *
   * @param signal - when it is aborted before that step, nothing is put back, and the promise is rejected with its reason
   */
  restoreInSlices(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * What has changed since a snapshot, or between two: mocks, items, scenarios, faults, state, rows of collections and captured
   * messages. Call counts and what services hold of their own, such as keys and queues, are not compared.
   *
   * @param to - another snapshot; what there is now when absent
   * @throws BacklotError `not_found`
   */
  diff(id: string, to?: string, signal?: AbortSignal): Promise<SnapshotChanges>;
}

/** One difference between two snapshots. */
export interface SnapshotChange {
  readonly part: 'mocks' | 'items' | 'scenarios' | 'faults' | 'state' | 'collections' | 'messages';
  /** The kind of mocks and messages, `kind/list` of items, the collection of rows. */
  readonly name?: string;
  readonly id: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Absent for what was added, and for messages. */
  readonly before?: unknown;
  /** Absent for what was removed, and for messages. */
  readonly after?: unknown;
}

/** The differences between two snapshots. */
export interface SnapshotChanges {
  /** The first 1,000. */
  readonly changes: readonly SnapshotChange[];
  /** How many there are beyond those. */
  readonly more: number;
}

/** A running set of protocols with the services they share. */
export interface Host {
  readonly version: string;
  readonly clock: ControlledClock;
  /** The seed of everything that is left to chance: the given one, or one that was made up. */
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
  readonly toxics: ToxicCollection;
  readonly scenarios: ScenarioCollection;
  /** Trouble as servers of the protocols have it, to be begun by name. */
  readonly incidents: IncidentCollection;
  /** All faults and toxics that there are now, with what each comes from, in the order in which they take effect. */
  troubles(): readonly Trouble[];
  /** What causes what, over all kinds. */
  readonly reactions: ReactionCollection;
  readonly state: StateCollection;
  /** The data behind mocks, by name. */
  readonly collections: Collections;
  /**
   * The rows of one collection: the same as `collections.get(name)`. `Row` is what the caller knows of them; nothing
   * checks it.
   */
  collection<Row = Json>(name: string): Collection<Row>;
  readonly streams: StreamCollection;
  readonly journal: JournalCollection;
  /** Puts a span of an application into the journal, beside the messages of its trace. */
  addSpan(span: Span): void;
  readonly webhooks: WebhookSender | undefined;
  readonly snapshots: SnapshotCollection;
  /** Worlds of their own beside this one; a space has none. */
  readonly spaces: SpaceCollection;
  /** The id of the space that this host is; undefined when it is none. */
  readonly space: string | undefined;
  /**
   * Makes what a match has changed on one of several hosts, see {@link HostOptions.sharedChanges}. All make the same changes in the same
   * order.
   *
   * @param isPast - whether it was long ago, so that nothing is pushed into streams
   */
  takeChanges(changes: MatchChanges, isPast?: boolean): void;
  /**
   * Makes a kind send something now: what it declares, publishes, or pushes into open streams.
   *
   * @returns what became of it, as far as the kind says
   * @throws BacklotError `invalid` for what it does not take; `not_found` when it cannot send anything; `not_enabled`
   */
  emit(kind: string, message: Json): Promise<Json>;
  /**
   * Says whether the messages were received that somebody expects, over all kinds, and waits for them.
   *
   * @param signal - gives the wait up when it is aborted
   * @param elsewhere - messages that are looked at in place of those of this host
   * @throws BacklotError `invalid` for a check that is not valid; `cancelled` when a reset comes first or the signal aborts
   */
  verify(check: Check, signal?: AbortSignal, elsewhere?: MessagesElsewhere): Promise<Verdict>;
  /**
   * Begins to look at the messages that somebody expects: what comes counts although a reset, a clear or the bound of the log takes it
   * out of the log before the verdict.
   *
   * @throws BacklotError `invalid` for a check that is not valid
   */
  beginCheck(check: Check): Promise<BegunCheck>;
  /**
   * Starts every enabled kind. When one cannot start, all are stopped, and the promise is rejected with an error that
   * names it.
   */
  start(): Promise<void>;
  /**
   * What runs as a configuration file says it: the settings as they were given, with the mocks, items, scenarios, reactions, state and
   * rows that there are now. Faults, captured messages and what services hold are not in it, and of functions their names.
   */
  configuration(): Json;
  /**
   * Makes a running host what one would be that was made of other options, and leaves alone what they do not change: mocks that
   * are the same keep what was done to them meanwhile, and connections of kinds whose settings are the same stay open. What was made
   * at run time stays; a reset goes to the new options. A second call waits for the first.
   *
   * @param options - all of them, as `createHost` takes them, of the same protocols; `log` and `webhooks` stay as they are
   * @throws BacklotError `invalid` for options with problems, `port_in_use` when a service cannot start: then everything is as it was;
   * `not_enabled` for a host that does not run, and for a space
   */
  reconfigure(options: HostOptions): Promise<Reconfigured>;
  /**
   * Stops all kinds; a second call waits for the first.
   *
   * @param grace - milliseconds of real time for answers that have begun; 2,000 when absent
   */
  stop(grace?: number): Promise<void>;
  /**
   * Puts everything back to what it was after `start`: also journal, time and webhooks. It is synchronous, so no
   * message sees half of it.
   */
  reset(): void;
  /**
   * Puts the kinds that have data, here and in all spaces, back to what their clients found at the start: another process has had the
   * data since. Mocks and what else the management API has changed stay.
   */
  forgetStored(): void;
  /** What clients have stored, as it passes to another process. */
  readonly stored: StoredData;
  /** Like {@link reset}, with very many mocks made ready in slices before: see {@link SnapshotCollection.restoreInSlices}. */
  resetInSlices(signal?: AbortSignal): Promise<void>;
  /** `stopping` from the first call of `stop` on. */
  readonly health: 'ok' | 'stopping';
  /** Milliseconds of real time since `start`. */
  readonly uptime: number;
}

/** What `createHost` takes. */
export interface HostOptions<P extends readonly Protocol[] = readonly Protocol[]> {
  /** The protocols, in the order in which they are listed; each is started unless its settings say `enabled: false`. */
  readonly protocols: P;
  /** The settings by kind, as a configuration file has them below `protocols`. */
  readonly settings?: SettingsOf<P>;
  readonly scenarios?: readonly NewScenario[];
  readonly reactions?: readonly NewReaction[];
  readonly state?: Readonly<Record<string, string>>;
  /** The collections by name, as a configuration file has them. */
  readonly collections?: Readonly<Record<string, CollectionDefinition>>;
  /** What templates see as `vars`. */
  readonly vars?: Json;
  /** Keys that sign and verify tokens, by name; one without a key of its own is made from the seed. */
  readonly keys?: Readonly<Record<string, KeyDefinition>>;
  /** The limits of the journal: 10,000 entries and 64 MiB when absent. */
  readonly logs?: { readonly max_entries?: number; readonly max_bytes?: number };
  /** Functions that make answers: how long one may take, by real time; 30 s when absent. */
  readonly functions?: { readonly timeout?: string };
  /** How many spaces there may be, and how long they live without being used. */
  readonly spaces?: SpaceLimits;
  /** The seed of everything that is left to chance; made up when absent. */
  readonly seed?: number;
  /** The address to listen on for kinds whose settings name none; `localhost` when absent. */
  readonly host?: string;
  /**
   * On which port a kind listens whose settings name none. `free`, when absent: a free one. `default`: the protocol's
   * default port, or, with a warning in the log, a free one when that is in use.
   */
  readonly ports?: 'free' | 'default';
  /** Makes what sends webhooks; without it the webhooks of mocks are not sent. */
  readonly webhooks?: WebhookFactory;
  /** Is given each line of the log; without it there is no log. */
  readonly log?: (line: {
    readonly level: 'info' | 'warn' | 'error';
    readonly kind: string;
    readonly text: string;
    /** The space that it is about. */
    readonly space?: string;
  }) => void;
  /**
   * Whether the log gets a line when something has held the event loop for more than 200 ms. For a process that does
   * nothing but serve: anywhere else, such as in a test, the line may be about work that is not Backlot's. Default
   * false.
   */
  readonly watchEventLoop?: boolean;
  /**
   * The name of this host among several that the same clients use, such as the replicas of a cluster. Each then has chance of its own,
   * and what depends on messages that another one may have received is refused: mocks that count or keep something, unless they say
   * `scope: replica` or {@link sharedCounts} and {@link sharedChanges} can do that for all, faults that count, and reactions.
   */
  readonly replica?: string;
  /** Counts the matches of mocks with `times` or a sequence on all replicas together; used with {@link replica} alone. */
  readonly sharedCounts?: SharedCounts;
  /**
   * Makes on all replicas together what matches change, such as state and rows; used with {@link replica} alone. Each replica gives what is
   * made to {@link Host.takeChanges}, this one too.
   */
  readonly sharedChanges?: SharedChanges;
  /** Listens where several processes take what comes to the same ports; used with {@link replica} alone. */
  readonly sharedPorts?: SharedPorts;
  /** What {@link Host.version} gives; `0.0.0` when absent. */
  readonly version?: string;
}
