import type { ItemListDeclaration } from './item-lists.js';
import type { ContractCoverage } from './contracts.js';
import type { CaptureReader, StoredCapture } from './context.js';
import type { Json, NewFault, NewItem, NewMock, StoredItem, StoredMockOf } from './given.js';
import type { DataEntry } from './data.js';
import type { CallBook } from './journal.js';
import type { NearMiss } from './outcome.js';
import type { Problem } from '../errors.js';
import type { Protocol, ProtocolTypes } from './protocol.js';
import type { OutcomeTally } from './tally.js';
import type { KindToxics } from './toxics.js';
import type { Farewell, FurtherListener, Service } from './service.js';

/**
 * The mocks of one kind, as management and embedders see them. A change that is refused leaves everything as it was.
 */
export interface MockCollection<Mock = unknown> {
  /** All of them in the order of creation, those of the configuration first; without the patches of scenarios. */
  list(): readonly StoredMockOf<Mock>[];
  /** Mocks that have never matched since counts were last cleared. */
  listUnused(): readonly StoredMockOf<Mock>[];
  /** The mock with this id, without the patches of scenarios. @throws BacklotError `not_found` */
  get(id: string): StoredMockOf<Mock>;
  has(id: string): boolean;
  /**
   * What is wrong with a mock that is taken all the same, as where a contract warns: each with its place in the mock. Empty
   * for a kind whose contract does not warn.
   *
   * @throws BacklotError `not_found`
   */
  warningsOf(id: string): readonly Problem[];
  /**
   * Makes ready a part of what checks mocks, which the first {@link create} does otherwise: it takes as long as many mocks.
   *
   * @returns whether that was still to be done; `false` once all parts are ready
   */
  prepare(): boolean;
  /**
   * Checks a mock as {@link create} does, and creates nothing. An id that exists is no problem.
   *
   * @returns what {@link warningsOf} would say of it
   * @throws BacklotError `invalid` with a problem per field
   */
  check(mock: NewMock<Mock>): readonly Problem[];
  /**
   * Creates a mock; an id is made up when it has none.
   *
   * @returns the stored mock
   * @throws BacklotError `invalid` with a problem per field, `conflict` when the id exists
   */
  create(mock: NewMock<Mock>): StoredMockOf<Mock>;
  /**
   * Creates all mocks of a list, or none when one of them is refused.
   *
   * @throws as {@link create}; `invalid` for an empty list
   */
  createAll(mocks: readonly NewMock<Mock>[]): readonly StoredMockOf<Mock>[];
  /**
   * As {@link createAll}. A long list is checked in slices, between which other work is done; its mocks then take effect at once.
   *
   * @param signal - when it is aborted before that, none is created, and the promise is rejected with its reason
   */
  createInSlices(
    mocks: readonly NewMock<Mock>[],
    signal?: AbortSignal,
  ): Promise<readonly StoredMockOf<Mock>[]>;
  /**
   * Replaces a mock, which keeps its position and `id`; an `id` within the new mock is ignored.
   *
   * @throws BacklotError `invalid`, `not_found`
   */
  replace(id: string, mock: NewMock<Mock>): StoredMockOf<Mock>;
  /**
   * Lays a patch over the mock as it was created or replaced; an earlier patch is gone.
   *
   * @throws BacklotError `invalid`, `not_found`; `method_not_allowed` for a kind without patches
   */
  patch(id: string, patch: unknown): StoredMockOf<Mock>;
  /** @throws BacklotError `not_found` */
  remove(id: string): void;
}

/** The items of a list of one kind. A change that is refused leaves everything as it was. */
export interface ItemList<Item = unknown> {
  readonly declaration: ItemListDeclaration;
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

/** The item lists of a kind by name; `get` of a declared name is typed. */
export type ItemLists<Items = unknown> = ([Items] extends [never]
  ? unknown
  : unknown extends Items
    ? unknown
    : { get<Name extends keyof Items>(name: Name): ItemList<Items[Name]> }) &
  ReadonlyMap<string, ItemList>;

/** An open connection of a kind. */
export interface ConnectionView {
  readonly id: string;
  /** The address and port of the client. */
  readonly remote: string;
  /** Who has logged in; absent while nobody has. */
  readonly user?: string;
  /** What the client calls itself, where the protocol has that. */
  readonly client?: string;
  /** Milliseconds of real time since it was taken. */
  readonly age_ms: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  /** What it listens to; absent for a protocol without subscriptions. */
  readonly subscriptions?: readonly string[];
}

/** Which connections to close: all that is given must hold, and without anything all are meant. */
export interface ConnectionFilter {
  readonly id?: string;
  /** The address of the client, with or without its port. */
  readonly remote?: string;
  readonly user?: string;
  readonly client?: string;
}

/** The open connections of one kind; none for a kind of datagrams. */
export interface KindConnections {
  list(): readonly ConnectionView[];
  /**
   * Closes connections.
   *
   * @param how - `end` when absent
   * @returns how many
   */
  close(filter?: ConnectionFilter, how?: Farewell): number;
}

/**
 * The data that the running service of a kind holds, by the sections that the kind declares, and sending messages by it.
 * Every member but `sections` throws `not_enabled` while the service does not run; those that are given a section throw
 * `not_found` for one that the kind does not have.
 */
export interface KindData {
  /** The names of the sections; none for a kind without data. */
  readonly sections: readonly string[];
  /** How many entries a section has. */
  size(section: string): number;
  /** The entries, in an order of the service; they may come and go while this is read. */
  entries(section: string): Iterable<DataEntry>;
  /** The entry with this id, as it is shown. @throws BacklotError `not_found` */
  get(section: string, id: string): Json;
  /**
   * Makes an entry, or replaces the one with the same id.
   *
   * @returns the entry as it is shown
   * @throws BacklotError `invalid` with a problem per field; `method_not_allowed` where only clients do that
   */
  put(section: string, entry: unknown): Promise<Json>;
  /** @throws BacklotError `not_found`; `method_not_allowed` where only clients do that */
  remove(section: string, id: string): Promise<void>;
  /**
   * Resolves with the first entries that fit as soon as there are `count` of them, or none for a count of 0. It looks every 20
   * milliseconds.
   *
   * @param fits - whether an entry fits: steps that let others in where they yield
   * @param timeout - milliseconds of real time
   * @throws BacklotError `timeout` with `want` and `got`; `cancelled` when the signal aborts
   */
  wait(
    section: string,
    fits: (entry: Json) => Iterator<unknown, boolean>,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<readonly Json[]>;
  /**
   * Sends a message as if a client of the kind had. It is neither matched nor captured, and not in the journal.
   *
   * @returns what became of it
   * @throws BacklotError `invalid` with a problem per field; `not_found` for a kind that does not publish
   */
  publish(message: unknown): Promise<Json>;
}

/** The fault of one kind. */
export interface KindFault<Fault = unknown> {
  /** The direct fault, as it was given; `undefined` when none is set. */
  get(): NewFault<Fault> | undefined;
  /** @throws BacklotError `invalid` */
  set(fault: NewFault<Fault>): NewFault<Fault>;
  clear(): void;
  /** What hits messages now: the direct fault overlaid by those of active scenarios; `undefined` when there is none. */
  effective(): NewFault<Fault> | undefined;
}

/** The captured messages of one kind. */
export interface KindCaptures<Capture = unknown> extends CaptureReader<Capture> {
  /**
   * Puts a message of an earlier run behind those that there are.
   *
   * @param bytes - what it holds in memory, roughly
   */
  recall(message: Capture, bytes: number): void;
  /** Drops all of them. */
  clear(): void;
  /**
   * Resolves with the messages that fit as soon as there are `count` of them; those that are stored already count. They are
   * neither tested nor given in their shown form, which may take long to make.
   *
   * @param fits - whether a message fits: steps that let others in where they yield
   * @param timeout - milliseconds of real time
   * @throws BacklotError `timeout` with `want` and `got`; `cancelled` when the messages are cleared first or the signal
   * aborts
   */
  wait(
    fits: (message: StoredCapture<Capture>) => Iterator<unknown, boolean>,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredCapture<Capture>[]>;
}

/** The contract of one kind, as management sees it. */
export interface KindContractView {
  /** What was touched of it. */
  coverage(): ContractCoverage;
  /** Begins to count what is touched anew. */
  clear(): void;
}

/** One protocol in a host. */
export interface Kind<Types extends ProtocolTypes = ProtocolTypes> {
  readonly kind: Types['kind'];
  /** The declaration. It is a manifest as long as a kind that was given as one was not loaded by {@link load}. */
  readonly protocol: Protocol;
  /** Loads the whole declaration in place of a manifest; does nothing when it is there. */
  load(): Promise<void>;
  /** Whether the host starts it. */
  readonly enabled: boolean;
  readonly mocks: MockCollection<Types['mock']>;
  /** The item lists by name, such as `itemLists.get('traps')`. */
  readonly itemLists: ItemLists<Types['items']>;
  /** Undefined for a kind that captures nothing. */
  readonly captures: Capability<Types['capture'], KindCaptures<Types['capture']>>;
  /** Undefined for a kind that cannot be faulted. */
  readonly fault: Capability<Types['fault'], KindFault<Types['fault']>>;
  readonly toxics: KindToxics;
  readonly calls: CallBook;
  readonly connections: KindConnections;
  /** What its messages are held to; undefined when its settings name no contract, or the mode is `off`. */
  readonly contract: KindContractView | undefined;
  readonly data: KindData;
  /** How many of its exchanges have ended how, and how long they took. */
  outcomes(): readonly OutcomeTally[];
  /**
   * Starts it where it waits for its first use, as the kinds of a space do; does nothing anywhere else.
   *
   * @throws BacklotError when it cannot start
   */
  wake(): Promise<void>;
  /** The running service; undefined for a kind that is not enabled, and before the start. */
  readonly service: Service | undefined;
  /** Where it listens; undefined while it does not. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
  /** The url by which clients on this machine connect; undefined while it does not listen. */
  readonly url: string | undefined;
  /** The listeners that it has beside its own. */
  readonly beside: readonly FurtherListener[];
  /** The name of the environment variable for the url, such as `REDIS_URL`. */
  readonly urlVariable: string;
  /**
   * Environment variables that tell programs where it listens, name to value: url, host and port, such as `REDIS_URL`,
   * `REDIS_HOST` and `REDIS_PORT`. Empty while it does not listen.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** What `GET /api/protocols` answers about it. */
  status(): Json;
  /**
   * Which mocks would answer a message, and why others would not; nothing is counted.
   *
   * @param entry - the message, as `POST /api/explain/<kind>` takes it: an entry, or a line where the kind has such
   * @throws BacklotError `invalid` for an entry that no message can be made of
   */
  explain(entry: unknown): Explanation;
  /**
   * Like {@link explain}, with very many mocks in slices: mocks that are created meanwhile are not looked at.
   *
   * @throws BacklotError `invalid` for an entry that no message can be made of
   */
  explainInSlices(entry: unknown, signal?: AbortSignal): Promise<Explanation>;
  /**
   * Says what a mock would change if it were there: which of the last messages it would match, and which would be answered by
   * another mock than now. Nothing is counted, and nothing changes.
   *
   * @param mock - the mock, as `mocks.create` takes it
   * @param options - `replaces`: the id of the mock whose place it takes; `limit`: how many of the newest messages of the journal
   * are looked at, 200 when absent
   * @throws BacklotError `invalid`, `conflict`, `not_found`, as creating or replacing it would
   */
  dryRun(mock: unknown, options?: DryRunOptions): Promise<DryRun>;
}

/** What a dry run takes. */
export interface DryRunOptions {
  readonly replaces?: string | undefined;
  readonly limit?: number | undefined;
  /** The dry run is given up when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** What a mock would change, see {@link Kind.dryRun}. */
export interface DryRun {
  /** How many messages were looked at. */
  readonly looked_at: number;
  /** How many of them it would match. */
  readonly matches: number;
  /** Those that another mock than now would answer, the oldest first. */
  readonly changes: readonly DryRunChange[];
  /** What is wrong with it though it would be taken, see {@link MockCollection.warningsOf}. */
  readonly warnings: readonly Problem[];
}

/** A message that another mock would answer. */
export interface DryRunChange {
  /** The id of its journal entry. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The mock that answers now, several ids with commas between them; null for none. */
  readonly before: string | null;
  /** The mock that would answer then; `(this)` for a new mock without an id. */
  readonly after: string | null;
}

/** Which mocks would answer a message, and why others would not. */
export interface Explanation {
  /**
   * `matched`, `unmatched`, `own` for what the kind itself answers when no mock matches, `challenge`, or `items` for a kind that does
   * not match its mocks.
   */
  readonly outcome: string;
  /** The mock that would answer, or that would ask for credentials. */
  readonly mock_id?: string;
  /** The mocks that would answer together. */
  readonly mock_ids?: readonly string[];
  /** What the answer would wait for: that of its mocks, of their faults, and of the fault of the kind; absent without. */
  readonly delays?: readonly ExplainedDelay[];
  /**
   * Whether the fault of the kind would hit the message now; absent when there is none, or one that is for all messages
   * and does not count.
   */
  readonly fault?: ExplainedFault;
  /** Other mocks, and why each of them would not answer; the closest first. */
  readonly others: readonly NearMiss[];
}

/** What the fault of the kind would do to a message. */
export interface ExplainedFault {
  /** Whether the message is one that it is for, and its turn; `error_rate` decides among those. */
  readonly hits: boolean;
  /** Why not. */
  readonly reason?: string;
}

/** A delay before an answer, in milliseconds; one that is always the same has that in all three. */
export interface ExplainedDelay {
  /** `mock`, or `fault`: those of faults are added. */
  readonly source: 'mock' | 'fault';
  /** The mock that has it; absent for the fault of the kind. */
  readonly mock_id?: string;
  readonly min_ms: number;
  readonly median_ms: number;
  /** Absent when nothing bounds it. */
  readonly max_ms?: number;
}

/** A member that a kind has when it declares a capability; perhaps there when the types of the kind are not known. */
type Capability<Declared, Member> = [Declared] extends [never]
  ? undefined
  : unknown extends Declared
    ? Member | undefined
    : Member;
