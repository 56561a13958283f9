import type { CollectionDeclaration } from './collections.js';
import type { CaptureReader } from './context.js';
import type { Json, NewFault, NewItem, NewMock, StoredItem, StoredMockOf } from './given.js';
import type { CallBook } from './journal.js';
import type { NearMiss } from './outcome.js';
import type { Protocol, ProtocolTypes, Service } from './protocol.js';

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
  /**
   * As {@link createAll}; a long list is checked in slices that let others in, and then created at once.
   *
   * @param signal - gives it up while it is checked
   */
  createInSlices(
    mocks: readonly NewMock<Mock>[],
    signal?: AbortSignal,
  ): Promise<readonly StoredMockOf<Mock>[]>;
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
  /** The declaration; a manifest where a kind that is not enabled was given as one and {@link load} was not called. */
  readonly protocol: Protocol;
  /** Puts the whole declaration in the place of a manifest. */
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
  /**
   * The environment variables by which programs find it, by name: its url, and its host and port apart, as `REDIS_URL`,
   * `REDIS_HOST` and `REDIS_PORT`. Empty while it does not listen.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** The object of `GET /api/protocols`. */
  status(): Json;
  /** What `POST /api/explain/<kind>` answers. @throws BacklotError `invalid` */
  explain(entry: unknown): Explanation;
}

/** Which mocks would answer a message, and why others would not. */
export interface Explanation {
  /** `matched`, `unmatched`, `challenge`, or `items` for a kind that answers from all its mocks. */
  readonly outcome: string;
  /** The mock, where one answers or asks for a login. */
  readonly mock_id?: string;
  /** The mocks, where several answer. */
  readonly mock_ids?: readonly string[];
  readonly others: readonly NearMiss[];
}

/** There when it was declared; unknown for a kind whose types are not known. */
type Capability<Declared, Member> = [Declared] extends [never]
  ? undefined
  : unknown extends Declared
    ? Member | undefined
    : Member;
