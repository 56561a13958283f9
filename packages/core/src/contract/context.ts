import type { PiecedAttachment } from './captures.js';
import type { Passage } from './passage.js';
import type { Clock } from '../time/clock.js';
import type { Template, TemplateScope, ValueTemplate } from '../templates/template.js';
import type { Random } from '../random/random.js';
import type { CompiledMock } from './matcher.js';
import type { Log } from './log.js';
import type { SpaceDoors } from './space-doors.js';
import type { Message } from './message.js';
import type { Exchange, LiveMock, Match } from './outcome.js';
import type { ServicePorts } from './shared-ports.js';
import type { ToxicFeed } from './toxics.js';
import type { ContractDesk } from './contracts.js';
import type { Upstream } from './upstream.js';
import type { CoreConfig, CoreMock, TObject, TSchema, ValueOf } from './shape.js';

/**
 * A kind as types: what its declaration holds. A kind that has more adds members: `fault` and `capture` (object
 * schemas), `stream` (a schema), `itemLists` (by name, the schema of an item and what it compiles to) and `index`
 * (the kind's own index). {@link Context} has the services that belong to them only when they are there.
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

/** A stored mock of a kind: the fields of all kinds and its own. */
export type MockOf<S extends Shape> = CoreMock & ValueOf<S['mock']>;
/** The kind's own fields of its fault; an empty record for a kind without faults. */
export type FaultOf<S extends Shape> =
  Get<S, 'fault'> extends infer F extends TSchema ? ValueOf<F> : Readonly<Record<string, never>>;
/** A mock in effect of a kind. */
export type LiveMockOf<S extends Shape> = LiveMock<MockOf<S>, S['compiled']>;
/** A match of a kind. */
export type MatchOf<S extends Shape> = Match<MockOf<S>, S['compiled']>;
/** An exchange of a kind. */
export type ExchangeFor<S extends Shape> = Exchange<S['message'], MockOf<S>, S['compiled'], FaultOf<S>>;
/** What `resolve` of a kind's exchanges gives. */
export type OutcomeFor<S extends Shape> = Awaited<ReturnType<ExchangeFor<S>['resolve']>>;

/**
 * The mocks of a kind as its plugin sees them: those in effect now, notices of changes, and mocks that clients bring.
 */
export interface Mocks<S extends Shape> {
  /**
   * The mocks in effect now, in rank order, with the patches of active scenarios applied. Mocks that are disabled,
   * expired or used up, or whose state condition does not hold, are left out.
   */
  values(): readonly LiveMockOf<S>[];
  /**
   * Calls back after a change of mocks, scenarios or state that may have changed what {@link values} answers. A mock
   * that expires is no such change.
   *
   * @returns a function that ends the subscription
   */
  onChange(callback: (change: MockChange) => void): () => void;
  /** Whether some mock would match the message now. Nothing is counted, and no fault is rolled. */
  matches(message: S['message']): boolean;
  /**
   * Stores a mock as if it came through the management API: for what clients bring, such as an uploaded file, so that
   * people see it there. A reset removes it; a snapshot includes it.
   *
   * @returns the mock's id
   * @throws BacklotError `invalid` for a mock that is not valid, `conflict` when its id is taken
   */
  create(mock: Readonly<Record<string, unknown>>): string;
  /**
   * Replaces the mock with this id; it keeps its position.
   *
   * @throws BacklotError `invalid` for a mock that is not valid; `not_found`
   */
  replace(id: string, mock: Readonly<Record<string, unknown>>): void;
  /** Removes the mock with this id. @throws BacklotError `not_found` */
  remove(id: string): void;
  /**
   * The mock with this id as it is stored, whether or not it is in effect; `undefined` when there is none. It is the same
   * object until somebody changes the mock.
   */
  find(id: string): Readonly<Record<string, unknown>> | undefined;
  /**
   * The kind's own index, when it declares one: for what the plugin must ask before there is a message, such as where a
   * frame ends.
   */
  readonly index: Get<S, 'index'>;
}

/** A change of a kind's mocks. `id` is the mock that changed; it is absent when several may have. */
export interface MockChange {
  readonly type: 'added' | 'changed' | 'removed' | 'reset';
  readonly id?: string;
}

/**
 * A captured message whose shown form is made when it is read. Most captured messages are dropped unread, and making
 * their shown form costs more than everything else that is done with them.
 */
export interface LazyCapture<T> {
  /** Makes the shown form; it must make an equal value each time. */
  capture(): T;
  /**
   * Makes the shown form for a list, which shows the beginnings of long texts alone. For messages whose texts may be so long that
   * making them takes much time or memory; when it is absent, {@link capture} makes them whole.
   *
   * @param most - the characters of a text that are shown
   */
  captureStart?(most: number): CaptureStart<T>;
  /**
   * Makes the shown form without its long texts, and those in pieces, so that none is ever put together. For messages that have
   * {@link captureStart}; when it is absent, {@link capture} makes them whole.
   */
  capturePieces?(): CapturePieces<T>;
  /**
   * Decodes what is attached, a piece at a time, so that a long message is never made whole for it. When it is absent, the
   * `attachment` of the declaration decodes what {@link capture} makes.
   *
   * @param index - the place in its field `attachments`, from 0 on
   * @returns undefined when there is no such attachment; a promise when the message is long
   */
  captureAttachment?(index: number): PiecedAttachment | undefined | Promise<PiecedAttachment | undefined>;
  /**
   * The `id` of what {@link capture} makes, so that one message is found among thousands without making them all. When
   * it is absent, {@link capture} is called to read the `id`.
   */
  readonly captureId?: string;
  /** The message as kinds that follow what this one `gives` are handed it; what it is, the name of `gives` says. */
  readonly given?: unknown;
}

/** A captured message as a list shows it. */
export interface CaptureStart<T = unknown> {
  /** Its texts may be beginnings of more than as many characters as are shown. */
  readonly shown: T;
  /** The characters that the whole texts of its own fields have, by name; of texts that are whole it may be left out. */
  readonly lengths: Readonly<Record<string, number>>;
}

/** A captured message whose long texts are made a piece at a time. */
export interface CapturePieces<T = unknown> {
  /** In place of the texts that are in `texts` something else may stand. */
  readonly shown: T;
  /** The long texts among its own fields, by name. */
  readonly texts: Readonly<Record<string, PiecedText>>;
}

/** A long text, a piece at a time. */
export interface PiecedText {
  /** The characters of the whole text. */
  readonly length: number;
  /** The text in pieces, none of which takes long to make. */
  pieces(): Iterable<string>;
}

/** Who shows messages that other kinds capture; see {@link BaseContext.followCaptures}. */
export interface CaptureFollower {
  /** A message is stored. @param given - the `given` of the message */
  added(given: unknown): void;
  /** A message, the oldest of its kind, is stored no more, since there is no room for it. */
  dropped(given: unknown): void;
  /** All messages of all kinds are stored no more; those that still are follow as `added`. */
  cleared(): void;
}

/** One captured message, whose shown form is made by `read`. */
export interface StoredCapture<Capture = unknown> {
  /** The field `id` of the message; an empty text when it has none. */
  readonly id: string;
  /** Makes the shown form. */
  read(): Capture;
  /** Makes the shown form for a list, whose texts may be beginnings of more than `most` characters. */
  readStart(most: number): CaptureStart<Capture>;
  /** Makes the shown form with its long texts in pieces; `texts` is empty when there are none. */
  readPieces(): CapturePieces<Capture>;
  /**
   * Decodes what is attached to it a piece at a time; undefined for messages that do not do so, whose declaration decodes the
   * shown form.
   */
  readonly readAttachment:
    ((index: number) => PiecedAttachment | undefined | Promise<PiecedAttachment | undefined>) | undefined;
  /** The message as kinds that follow what its kind `gives` are handed it; undefined where it gives nothing. */
  readonly given: unknown;
}

/** Where a plugin stores the messages that its kind captures. */
export interface Captures<T> {
  /**
   * Stores a message. The protocol makes its `id` and its dates. Beyond the declared number and bytes the oldest messages
   * are dropped.
   *
   * @param value - the message, or an object that makes it when it is read
   * @param bytes - roughly how many bytes it holds in memory
   * @param exchange - the exchange that brought it; when a reset has come since it began, nothing is stored
   */
  add(value: T | LazyCapture<T>, bytes: number, exchange: { readonly isCurrent: boolean }): void;
}

/** The captured messages of a kind, for reading: in management, and for a kind that shows what another one took in. */
export interface CaptureReader<Capture = unknown> {
  /** All messages, oldest first. Makes the shown form of each. */
  values(): readonly Capture[];
  /**
   * The messages that are stored when this is called, oldest first; later changes of the store do not affect it. The
   * shown form of each is made by its `read`.
   */
  items(): Iterable<StoredCapture<Capture>>;
  /**
   * Calls back for each message as it is stored, and when all were dropped by a clear or a reset. After a restored
   * snapshot `cleared` comes first and then `added` for each message of the snapshot.
   *
   * @returns a function that ends the subscription
   */
  subscribe(callback: (event: CaptureEvent<Capture>) => void): () => void;
}

/** What has become of the captured messages of a kind. */
export type CaptureEvent<Capture = unknown> =
  | {
      readonly type: 'added';
      readonly item: StoredCapture<Capture>;
      /** The shown form, which is made when somebody asks. */
      readonly value: Capture;
    }
  | { readonly type: 'cleared' };

/** An open streaming answer, as the plugin that opened it sees it. */
export interface OpenStream {
  /** The id by which `/api/streams` names it. */
  readonly id: string;
  /**
   * Removes it from the list of open streams. Call it when the stream has ended, for whatever reason; a second call
   * does nothing.
   */
  closed(): void;
}

/** What core calls on an open stream when somebody pushes into it or closes it. */
export interface StreamControl<Data> {
  /**
   * Sends data, which has the declared schema, to the client.
   *
   * @throws BacklotError `invalid` when it does not fit this stream
   */
  push(data: Data): void;
  /**
   * Ends the stream, which core has removed from its list already.
   *
   * @param error - the text of an error to end it with; `undefined` ends it normally
   * @param cause - what a function has thrown that was sending into it
   */
  close(error: string | undefined, cause?: unknown): void;
}

/** The open streaming answers of a kind. */
export interface Streams<Data> {
  /**
   * Registers a streaming answer that has begun, so that it is listed at `/api/streams` and can be pushed into and
   * closed there. A reset, a restored snapshot and a stop close it through `control`, unless the declaration says that the
   * kind's streams are connections.
   *
   * @param mockId - the mock that opened it
   * @param control - what pushes and closes are passed on to
   * @param match - the match that it answers: a function may go on sending into it
   */
  open(mockId: string, control: StreamControl<Data>, match?: Match): OpenStream;
}

/** What a fault of phase `connect` does to a new connection. */
export interface ConnectFault {
  /** Milliseconds of virtual time to wait before the connection is used or reset. */
  readonly delay: number;
  /** Whether to reset the connection after that delay. */
  readonly refuse: boolean;
}

/** What a fault of phase `login` does to a login. */
export interface LoginFault<Fault = Readonly<Record<string, unknown>>> {
  /** Milliseconds of virtual time to wait before the login is answered. */
  readonly delay: number;
  /** Whether to refuse the login after that delay, right or wrong. */
  readonly refuse: boolean;
  /**
   * The kind's own fields that the fault gives, without defaults: where they say nothing that fits a login, it is
   * refused as the protocol refuses a wrong password.
   */
  readonly fields: Fault;
}

/** The fault of a kind where it does not concern messages, whose faults `resolve` applies. */
export interface Faults<Fault = Readonly<Record<string, unknown>>> {
  /**
   * Rolls the fault for a new connection; call it once for each. `undefined` when no fault of phase `connect` is set.
   */
  rollForConnection(): ConnectFault | undefined;
  /**
   * Rolls the fault for a login; call it once for each. `undefined` when no fault of phase `login` is set, which only a
   * kind can have that declares `fault.login`.
   */
  rollForLogin(): LoginFault<Fault> | undefined;
  /**
   * The kind's own fields that the fault in effect gives, without defaults, while its phase is `message`; `undefined` while
   * there is none. Nothing is rolled or counted: for fields that the declaration calls `standing`.
   */
  readonly current: Fault | undefined;
  /** What is wrong with the certificate that TLS handshakes show now; `undefined` while nothing is. Kit's services ask it. */
  readonly tls: 'expired' | 'wrong_host' | undefined;
  /**
   * Whether the `match` of the fault in effect is for this message, so that what a kind answers by itself, without asking, is
   * asked for; false while there is no fault of phase `message`, and of one without `match`. Nothing is rolled or counted.
   */
  isNamed(message: Message): boolean;
  /**
   * Calls back when the fault in effect may have changed: it was set or cleared, also by a scenario, a reset or a restored
   * snapshot. What a callback throws is logged.
   *
   * @returns a function that ends the subscription
   */
  onChange(callback: () => void): () => void;
}

/** The key-value store that all kinds share, and that state conditions of mocks read. */
export interface State {
  /** The value of a key; `undefined` when it is not set or has expired. */
  get(key: string): string | undefined;
  /** Sets a key without expiry. When the store is full the key is left out, with a warning in the log. */
  set(key: string, value: string): void;
  /** Deletes a key; does nothing when it is not set. */
  delete(key: string): void;
}

/** Data that a protocol holds beside its mocks (queues, files, stored values), which reset and snapshots include. */
export interface SnapshotPart<T, P = unknown> {
  /**
   * How its snapshots pass to another process, so that what clients have stored outlives this one; `plain` when they are plain data as they
   * are. Those of a part without it never leave the process.
   */
  readonly passes?: 'plain' | Passage<T>;
  /** Takes a snapshot of the data, which must not change afterwards. */
  save(): T;
  /**
   * Makes ready what {@link restore} of this snapshot would have to make, in steps that let others in, where that takes
   * long. It changes nothing, and what it makes holds for the snapshot whatever changes meanwhile.
   *
   * @returns the steps, which end with what restore is given; `undefined` where there is little to do
   */
  prepare?(saved: T): Iterator<unknown, P> | undefined;
  /**
   * Replaces the data by that of a snapshot. Connections stay open.
   *
   * @param prepared - what {@link prepare} has made; absent where it was not asked
   */
  restore(saved: T, prepared?: P): void;
}

/** Renders templates that belong to no match, such as a greeting. */
export interface Templates {
  /**
   * The values that templates see: those of the message when one is given, and time, state and chance in any case.
   *
   * @param params - gives what is `request.params`, when a template first asks; nothing when absent
   */
  scope(message?: Message, params?: () => Readonly<Record<string, string>>): TemplateScope;
  /**
   * Renders a text template.
   *
   * @throws BacklotError `too_large` when the result is larger than 16 MiB or takes too much work
   */
  render(template: Template, scope: TemplateScope): string;
  /** Renders a structured template. @throws BacklotError `too_large`, as {@link render} */
  renderValue(template: ValueTemplate, scope: TemplateScope): unknown;
}

/** What the context of every kind has. */
export interface BaseContext<S extends Shape> {
  readonly kind: string;
  /** The configuration of the kind, with defaults filled in. */
  readonly config: CoreConfig & ValueOf<S['config']>;
  /** Begins the exchange of a message; every message that a mock could answer goes through here. */
  receive(message: S['message']): ExchangeFor<S>;
  readonly mocks: Mocks<S>;
  readonly templates: Templates;
  readonly state: State;
  /**
   * Virtual time, which people may freeze and advance. For waits of the protocol itself, such as heart-beats, use kit's
   * `timers`.
   */
  readonly clock: Clock;
  /**
   * A source of chance that gives the same numbers for the same seed and parts.
   *
   * @param parts - what makes this use unique within the kind, such as a purpose and a connection number
   */
  random(...parts: (string | number)[]): Random;
  /** A new id: 24 hexadecimal digits from the operating system's random numbers, whatever the seed is. */
  newId(): string;
  /** What is done to the bytes of connections, or to datagrams. Kit reads it; a service without kit may follow it. */
  readonly toxics: ToxicFeed;
  /**
   * The real server behind the kind; `undefined` when there is none. Kit reads it, and passes through what the kind does not
   * decode; a service without kit may do so itself, and else its kind has no upstream.
   */
  readonly upstream: Upstream | undefined;
  /** What its messages are held to; `undefined` when the settings name no contract, or its mode is `off`. */
  readonly contract: ContractDesk | undefined;
  /** Listens in place of the service, where several processes have the same ports. Kit uses it. */
  readonly ports?: ServicePorts;
  readonly log: Log;
  /** The spaces beside this world, for kinds whose clients name one: what is meant for one is handed to it. */
  readonly spaces: SpaceDoors;
  /** Registers data that reset and snapshots include. @throws TypeError when the name was registered before */
  addToSnapshots<T, P = unknown>(name: string, part: SnapshotPart<T, P>): void;
  /**
   * The captured messages of another kind.
   *
   * @throws BacklotError `invalid` when that kind is not installed and enabled, or captures nothing
   */
  capturesOf(kind: string): CaptureReader;
  /**
   * Tells of the messages of all enabled kinds whose captures declare that they give this; first of those that are stored.
   *
   * @returns whether there is such a kind
   */
  followCaptures(gives: string, follower: CaptureFollower): boolean;
}

/**
 * What a protocol's `create` is given. `faults`, `captures`, `streams` and `itemLists` are there when the kind declares
 * them.
 */
export type Context<S extends Shape> = BaseContext<S> &
  When<Get<S, 'fault'>, { readonly faults: Faults<FaultOf<S>> }> &
  When<
    Get<S, 'capture'>,
    { readonly captures: Captures<Get<S, 'capture'> extends TSchema ? ValueOf<Get<S, 'capture'>> : never> }
  > &
  When<
    Get<S, 'stream'>,
    { readonly streams: Streams<Get<S, 'stream'> extends TSchema ? ValueOf<Get<S, 'stream'>> : never> }
  > &
  When<Get<S, 'itemLists'>, { readonly itemLists: ItemListViews<Get<S, 'itemLists'>> }>;

/** The item lists of a kind by name, each with the types of its items. */
export type ItemListViews<C> = {
  readonly [K in keyof C]: C[K] extends { readonly item: infer I extends TObject; readonly compiled: infer D }
    ? ItemListView<ValueOf<I>, D>
    : never;
};

/** The items of a list, with what the declaration's `compile` made of each. */
export interface ItemListView<I, D> {
  get(id: string): { readonly value: I; readonly compiled: D } | undefined;
  values(): readonly { readonly value: I; readonly compiled: D }[];
  /** @returns a function that ends the subscription */
  onChange(callback: () => void): () => void;
}
