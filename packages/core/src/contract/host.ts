import type { ControlledClock } from '../time/clock.js';
import type { Problem } from '../errors.js';
import type { CollectionDeclaration } from './collections.js';
import type { CaptureReader } from './context.js';
import type { CoreConfig, CoreFault, CoreMock } from './shape.js';
import type { NearMiss } from './outcome.js';
import type { Protocol, ProtocolTypes, Service } from './protocol.js';
import type { WebhookFactory, WebhookSender } from './webhook.js';

/** A JSON object as it came from or goes to a person. */
export type Json = Readonly<Record<string, unknown>>;

/** A stored mock of whatever kind. */
export type StoredMock = CoreMock & Json;

/** A value as it may be given: lists and objects may be read-only. */
type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T;

/** A mock as it is given: with the kind's own fields where they are known. */
export type NewMock<Mock = unknown> = unknown extends Mock
  ? unknown
  : Omit<CoreMock, 'id'> & { readonly id?: string } & Given<Mock>;

/** A mock as it is stored: with the kind's own fields where they are known. */
export type StoredMockOf<Mock = unknown> = unknown extends Mock ? StoredMock : CoreMock & Mock;

/** A fault as it is given: with the kind's own fields where they are known. */
export type NewFault<Fault = unknown> = unknown extends Fault ? unknown : CoreFault & Given<Fault>;

/** A kind's settings: those of all kinds, its own, and its lists of mocks and items. */
export type KindSettings<Types extends ProtocolTypes = ProtocolTypes> = unknown extends Types['mock']
  ? Json
  : Partial<Pick<CoreConfig, 'enabled' | 'host' | 'port' | 'tls'>> &
      Given<Types['config']> & {
        readonly [List in Types['list']]?: readonly NewMock<Types['mock']>[];
      } & { readonly [List in keyof Types['items']]?: readonly NewItem<Types['items'][List]>[] };

/** An item of a second collection as it is given: with the kind's own fields where they are known. */
export type NewItem<Item = unknown> = unknown extends Item ? unknown : { readonly id?: string } & Given<Item>;

/** An item of a second collection as it is stored: with the kind's own fields where they are known. */
export type StoredItem<Item = unknown> = unknown extends Item ? Json : { readonly id: string } & Item;

/** The types that a declaration carries. */
export type TypesOf<P extends Protocol> = NonNullable<P['types']>;

/** The settings of protocols by kind. */
export type SettingsOf<P extends readonly Protocol[]> = string extends P[number]['kind']
  ? Readonly<Record<string, Json | undefined>>
  : { readonly [One in P[number] as One['kind']]?: KindSettings<TypesOf<One>> };

/** The mocks of one kind. All changes are checked first; a refused change leaves everything as it was. */
export interface MockCollection<Mock = unknown> {
  /** In order: configuration first, then creation. Unpatched. */
  list(): readonly StoredMockOf<Mock>[];
  /** Mocks that have never matched since counts were last cleared. */
  listUnused(): readonly StoredMockOf<Mock>[];
  /** @throws BacklotError `not_found` */
  get(id: string): StoredMockOf<Mock>;
  has(id: string): boolean;
  /**
   * @throws BacklotError `invalid` with a problem per field, `conflict` when the id exists
   */
  create(mock: NewMock<Mock>): StoredMockOf<Mock>;
  /** All or nothing. @throws as {@link create}; `invalid` for an empty list */
  createAll(mocks: readonly NewMock<Mock>[]): readonly StoredMockOf<Mock>[];
  /** Keeps the position; the id of the argument wins over the one in the mock. @throws BacklotError `invalid`, `not_found` */
  replace(id: string, mock: NewMock<Mock>): StoredMockOf<Mock>;
  /** Puts a patch over the mock in place of an earlier patch. @throws BacklotError `invalid`, `not_found` */
  patch(id: string, patch: unknown): StoredMockOf<Mock>;
  /** @throws BacklotError `not_found` */
  remove(id: string): void;
}

/** The items of a second collection of one kind. All changes are checked first. */
export interface ItemCollection<Item = unknown> {
  readonly declaration: CollectionDeclaration;
  list(): readonly StoredItem<Item>[];
  /** @throws BacklotError `not_found` */
  get(id: string): StoredItem<Item>;
  /** @throws BacklotError `invalid` with a problem per field, `conflict` when the id exists */
  create(item: NewItem<Item>): StoredItem<Item>;
  /** @throws BacklotError `invalid`, `not_found` */
  replace(id: string, item: NewItem<Item>): StoredItem<Item>;
  /** @throws BacklotError `not_found` */
  remove(id: string): void;
}

/** The second collections of a kind, by name. */
export type ItemCollections<Items = unknown> = ([Items] extends [never]
  ? unknown
  : unknown extends Items
    ? unknown
    : { get<Name extends keyof Items>(name: Name): ItemCollection<Items[Name]> }) &
  ReadonlyMap<string, ItemCollection>;

/** A rendered journal entry: one exchange of a kind. */
export type JournalEntry = {
  /** Ids increase. */
  readonly id: string;
  /** When it began: RFC 3339. */
  readonly timestamp: string;
  readonly protocol: string;
  /** The kind's own verb. */
  readonly method: string;
  /** The kind's own target. */
  readonly path: string;
  readonly status?: number | string;
  /** Whole milliseconds; 0 while it is under way. */
  readonly duration_ms: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** There when the body is not text. */
  readonly body_encoding?: 'base64';
  /** There when only the first 64 KiB of the body are kept. */
  readonly body_truncated?: true;
  /** The mock that matched. */
  readonly matched_id?: string;
  readonly path_params?: Readonly<Record<string, string>>;
  /** There when a fault hit it. */
  readonly fault?: true;
  readonly remote: string;
  readonly response?: {
    readonly status?: number | string;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string;
    readonly body_encoding?: 'base64';
    readonly body_truncated?: true;
  };
  readonly near_misses?: readonly NearMiss[];
  /** There when the client left first. */
  readonly aborted?: true;
};

/** Which entries to read. */
export interface JournalFilter {
  readonly protocol?: string;
  readonly matchedId?: string;
  readonly unmatched?: boolean;
  /** Only entries after this one. */
  readonly after?: string;
  /** The newest so many. */
  readonly limit?: number;
}

/** The journal of all kinds. */
export interface JournalReader {
  /** Oldest first. */
  list(filter?: JournalFilter): readonly JournalEntry[];
  /** Exact since the last clear for no filter, `protocol` and `matchedId`; else what the ring holds, and `complete` is false. */
  count(filter?: JournalFilter): { readonly count: number; readonly complete: boolean };
  clear(): void;
  /**
   * Calls back for each entry as it appears. The callback is given a function that renders it, so that what is
   * dropped is never rendered.
   *
   * @returns a function that ends the subscription
   */
  subscribe(
    filter: JournalFilter,
    callback: (entry: { readonly id: string; render(): JournalEntry }) => void,
  ): () => void;
}

/** The calls of one kind's mocks. */
export interface CallBook {
  of(mockId: string): {
    readonly mock_id: string;
    readonly count: number;
    readonly calls: readonly JournalEntry[];
  };
  /**
   * Resolves once the mock was called `count` times.
   *
   * @param timeout - milliseconds of real time
   * @throws BacklotError `timeout` with `mock_id`, `want`, `got`; `cancelled` when a reset comes first or the signal aborts
   */
  wait(
    mockId: string,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<ReturnType<CallBook['of']>>;
  /** Clears the mock's log entries and all call counts of the kind. */
  clear(mockId: string): void;
  /** Clears all log entries and all call counts of the kind. */
  clearAll(): void;
}

/** A fault of whatever kind, as it was given. */
export type StoredFault = CoreFault & Json;

/** The fault of one kind. */
export interface KindFault<Fault = unknown> {
  /** The direct fault, as it was given. */
  get(): NewFault<Fault> | undefined;
  /** @throws BacklotError `invalid` */
  set(fault: NewFault<Fault>): NewFault<Fault>;
  clear(): void;
  /** The direct fault overlaid by active scenarios. */
  effective(): NewFault<Fault> | undefined;
}

/** What one kind has captured. */
export interface KindCaptures<Capture = unknown> extends CaptureReader<Capture> {
  clear(): void;
}

/** One protocol in a host. */
export interface Kind<Types extends ProtocolTypes = ProtocolTypes> {
  readonly kind: Types['kind'];
  /** The declaration; an outline where a kind that is not enabled was given as one and {@link load} was not called. */
  readonly protocol: Protocol;
  /** Puts the whole declaration in the place of an outline. */
  load(): Promise<void>;
  readonly enabled: boolean;
  readonly mocks: MockCollection<Types['mock']>;
  /** The second collections, such as traps; `collections.get('traps')`. */
  readonly collections: ItemCollections<Types['items']>;
  /** Undefined for a kind that captures nothing. */
  readonly captures: Capability<Types['capture'], KindCaptures<Types['capture']>>;
  /** Undefined for a kind that cannot be faulted. */
  readonly fault: Capability<Types['fault'], KindFault<Types['fault']>>;
  readonly calls: CallBook;
  /** The running service; undefined while the kind is not enabled or not started. */
  readonly service: Service | undefined;
  /** Where it listens, once it does. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
  /** The url by which clients on this machine connect, once it listens. */
  readonly url: string | undefined;
  /** The environment variable by which programs are told the url. */
  readonly urlVariable: string;
  /** The object of `GET /api/protocols`. */
  status(): Json;
  /** What `POST /api/explain/<kind>` answers. @throws BacklotError `invalid` */
  explain(entry: unknown): {
    readonly outcome: string;
    readonly mock_id?: string;
    readonly mock_ids?: readonly string[];
    readonly others: readonly NearMiss[];
  };
}

/** There when it was declared; unknown for a kind whose types are not known. */
type Capability<Declared, Member> = [Declared] extends [never]
  ? undefined
  : unknown extends Declared
    ? Member | undefined
    : Member;

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

/** One change of a scenario to one mock. */
export interface ScenarioPatch {
  readonly mock_id: string;
  readonly protocol?: string;
  readonly disabled?: boolean;
  readonly delay?: string;
  readonly status?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly merge?: Json;
}

/** A scenario as it is stored. */
export interface StoredScenario {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly patches?: readonly ScenarioPatch[];
  readonly faults?: Readonly<Record<string, StoredFault>>;
}

/** A scenario as it is given. */
export type NewScenario = Omit<StoredScenario, 'id' | 'faults'> & {
  /** Made up when absent. */
  readonly id?: string;
  readonly faults?: Readonly<Record<string, CoreFault | Json>>;
  /** In the settings: active from the start. */
  readonly active?: boolean;
};

/** A scenario as it is answered. */
export type ScenarioView = StoredScenario & {
  readonly active: boolean;
  readonly problems?: readonly Problem[];
};

/** The scenarios. */
export interface ScenarioCollection {
  list(): readonly ScenarioView[];
  get(id: string): ScenarioView;
  create(scenario: NewScenario): ScenarioView;
  replace(id: string, scenario: NewScenario): ScenarioView;
  remove(id: string): void;
  /** Idempotent; answers the ids of all active ones in order of activation. */
  activate(id: string): readonly string[];
  deactivate(id: string): readonly string[];
  active(): readonly ScenarioView[];
}

/** The shared key-value store. */
export interface StateCollection {
  /** All live keys. */
  all(): Readonly<Record<string, string>>;
  /** @param ttl - milliseconds of virtual time; absent: no expiry */
  setAll(values: Readonly<Record<string, string>>, ttl?: number): void;
  delete(key: string): void;
  /** @returns how many keys were deleted */
  deletePrefix(prefix: string): number;
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

/** The snapshots. */
export interface SnapshotCollection {
  list(): readonly SnapshotView[];
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
  readonly version?: string;
}
