import type { Clock } from '../time/clock.js';
import type { Template, TemplateScope, ValueTemplate } from '../templates/template.js';
import type { Random } from '../random/random.js';
import type { CompiledMock } from './matcher.js';
import type { Log } from './log.js';
import type { Message } from './message.js';
import type { Exchange, LiveMock, Match } from './outcome.js';
import type { CoreConfig, CoreMock, TObject, TSchema, ValueOf } from './shape.js';

/**
 * What a protocol declares, as types. Members beyond these are capabilities, there when the kind has them: `fault`,
 * `capture` (object schemas), `stream` (a schema), `collections` (items and what they compile to, by name) and `index`
 * (the kind's own index).
 */
export interface Shape {
  readonly config: TObject;
  readonly mock: TObject;
  readonly compiled: CompiledMock<never>;
  readonly message: Message;
}

type Get<S, K extends string> = S extends { readonly [P in K]?: infer V }
  ? [V] extends [never]
    ? never
    : NonNullable<V>
  : never;
type Declared<T> = [T] extends [never] ? false : unknown extends T ? false : true;
type When<T, Members> = Declared<T> extends true ? Members : unknown;

/** A stored mock of the shape: core's fields and the kind's own. */
export type MockOf<S extends Shape> = CoreMock & ValueOf<S['mock']>;
/** The fault fields of the shape. */
export type FaultOf<S extends Shape> =
  Get<S, 'fault'> extends infer F extends TSchema ? ValueOf<F> : Readonly<Record<string, never>>;
/** A mock of the shape in effect. */
export type LiveMockOf<S extends Shape> = LiveMock<MockOf<S>, S['compiled']>;
/** A match of the shape. */
export type MatchOf<S extends Shape> = Match<MockOf<S>, S['compiled']>;
/** The exchange of the shape. */
export type ExchangeFor<S extends Shape> = Exchange<S['message'], MockOf<S>, S['compiled'], FaultOf<S>>;
/** The outcome of the shape. */
export type OutcomeFor<S extends Shape> = Awaited<ReturnType<ExchangeFor<S>['resolve']>>;

/** The live view of a kind's mocks, for modes that read them by themselves and for change notices. */
export interface Mocks<S extends Shape> {
  /** The mocks in effect now, in order: patches applied; disabled, expired and used up ones and those whose state does not hold left out. */
  values(): readonly LiveMockOf<S>[];
  /**
   * Calls back after mocks, patches or state conditions may have changed what {@link values} answers.
   *
   * @returns a function that ends the subscription
   */
  onChange(callback: (change: MockChange) => void): () => void;
  /** Whether some mock would match, without counting anything. */
  matches(message: S['message']): boolean;
  /**
   * Stores a mock as if it came through the management API: what clients bring, such as an upload, that people then see
   * there. A reset forgets it, a snapshot holds it.
   *
   * @returns its id
   * @throws BacklotError `invalid` for a mock that is not valid, `conflict` when its id is taken
   */
  create(mock: Readonly<Record<string, unknown>>): string;
  /** Puts another mock in the place of one. @throws BacklotError `invalid`; `not_found` */
  replace(id: string, mock: Readonly<Record<string, unknown>>): void;
  /** @throws BacklotError `not_found` */
  remove(id: string): void;
  /** The kind's own index, where it declares one: for questions that framing asks before there is a message. */
  readonly index: Get<S, 'index'>;
}

/** What changed in a kind's mocks. `id` is absent when more than one changed. */
export interface MockChange {
  readonly type: 'added' | 'changed' | 'removed' | 'reset';
  readonly id?: string;
}

/**
 * A stored message that is made when somebody reads it: most are dropped unread, and making them costs more than the rest
 * of their way. It must give the same each time.
 */
export interface LazyCapture<T> {
  capture(): T;
  /**
   * The `id` of what {@link capture} makes, for finding a message among thousands without making them; read from what is
   * made when absent.
   */
  readonly captureId?: string;
}

/** One stored message, made when it is read. */
export interface StoredCapture<Capture = unknown> {
  /** Its field `id`; empty when it has none. */
  readonly id: string;
  read(): Capture;
}

/** Stored messages of a kind. */
export interface Captures<T> {
  /**
   * Stores a message; `id` and `timestamp`-like fields are the protocol's. The oldest are dropped beyond the bounds.
   *
   * @param value - the stored message, or what makes it when it is read
   * @param bytes - what it holds in memory, roughly
   * @param exchange - the exchange that brought it: what a reset has overtaken is not stored
   */
  add(value: T | LazyCapture<T>, bytes: number, exchange: { readonly isCurrent: boolean }): void;
}

/** Messages that another kind stores; for kinds that show what another took in. */
export interface CaptureReader<Capture = unknown> {
  /** Oldest first. */
  values(): readonly Capture[];
  /** Those that are stored now, oldest first, whatever happens to the store while they are read; each is made when it is read. */
  items(): Iterable<StoredCapture<Capture>>;
  /** @returns a function that ends the subscription */
  subscribe(
    callback: (
      event: { readonly type: 'added'; readonly value: Capture } | { readonly type: 'cleared' },
    ) => void,
  ): () => void;
}

/** An open streaming answer. */
export interface OpenStream {
  readonly id: string;
  /** Takes it from the list; call it when the stream has ended for whatever reason. Safe to call twice. */
  closed(): void;
}

/** What a stream can be told through the management port. */
export interface StreamControl<Data> {
  /** @throws BacklotError `invalid` when the data does not fit this stream */
  push(data: Data): void;
  /** Ends the stream; with a text as an error. */
  close(error: string | undefined): void;
}

/** The open streaming answers of a kind. */
export interface Streams<Data> {
  open(mockId: string, control: StreamControl<Data>): OpenStream;
}

/** What a fault of phase `connect` asks of a new connection. */
export interface ConnectFault {
  /** Milliseconds to wait before anything is done with the connection. */
  readonly delay: number;
  /** Whether the connection is reset then. */
  readonly refuse: boolean;
}

/** The faults of a kind, for what `resolve` does not cover. */
export interface Faults {
  /** Rolled once per new connection; `undefined` when no fault of phase `connect` is set. */
  onConnect(): ConnectFault | undefined;
}

/** The state store. */
export interface StateReader {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): void;
}

/** Data that a protocol keeps beside its mocks (queues, files, stored values), for reset and snapshots. */
export interface SnapshotPart<T> {
  /** An immutable snapshot of the data. */
  save(): T;
  /** Puts a snapshot back. Connections stay open. */
  restore(saved: T): void;
}

/** Templates outside of a match. */
export interface Templates {
  /** Values for rendering without a message, such as a greeting. */
  scope(message?: Message): TemplateScope;
  render(template: Template, scope: TemplateScope): string;
  renderValue(template: ValueTemplate, scope: TemplateScope): unknown;
}

/** The members that every kind has. */
export interface BaseContext<S extends Shape> {
  readonly kind: string;
  readonly config: CoreConfig & ValueOf<S['config']>;
  /** The one entry for messages: begins an exchange in the current epoch. */
  receive(message: S['message']): ExchangeFor<S>;
  readonly mocks: Mocks<S>;
  readonly templates: Templates;
  readonly state: StateReader;
  /** Virtual time; may be driven by hand. For real waits on the wire use kit's timers. */
  readonly clock: Clock;
  /** Chance that repeats with the seed; give what makes the use unique, such as a connection number. */
  random(...parts: (string | number)[]): Random;
  /** An id that is unique in this process; never from the seed. */
  newId(): string;
  readonly log: Log;
  /** Registers data for reset and snapshots. */
  addToSnapshots<T>(name: string, part: SnapshotPart<T>): void;
  /**
   * What another kind has captured.
   *
   * @throws BacklotError `invalid` when that kind is not there or does not capture
   */
  capturesOf(kind: string): CaptureReader;
}

/** What a protocol's `create` is given: exactly what was declared. */
export type Context<S extends Shape> = BaseContext<S> &
  When<Get<S, 'fault'>, { readonly faults: Faults }> &
  When<
    Get<S, 'capture'>,
    { readonly captures: Captures<Get<S, 'capture'> extends TSchema ? ValueOf<Get<S, 'capture'>> : never> }
  > &
  When<
    Get<S, 'stream'>,
    { readonly streams: Streams<Get<S, 'stream'> extends TSchema ? ValueOf<Get<S, 'stream'>> : never> }
  > &
  When<Get<S, 'collections'>, { readonly collections: CollectionViews<Get<S, 'collections'>> }>;

/** Typed views of the second collections. */
export type CollectionViews<C> = {
  readonly [K in keyof C]: C[K] extends { readonly item: infer I extends TObject; readonly compiled: infer D }
    ? CollectionView<ValueOf<I>, D>
    : never;
};

/** The items of a second collection. */
export interface CollectionView<I, D> {
  get(id: string): { readonly value: I; readonly compiled: D } | undefined;
  values(): readonly { readonly value: I; readonly compiled: D }[];
  /** @returns a function that ends the subscription */
  onChange(callback: () => void): () => void;
}
