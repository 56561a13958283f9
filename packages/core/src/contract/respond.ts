import type { Verified } from '../keys/verified.js';
import type { Random } from '../random/random.js';
import type { Collection, CollectionChange } from './collections.js';
import type { Json } from './json.js';
import type { WebhookSend } from './webhook-send.js';

/** What a function sees of the message that its mock has matched: the same as templates see as `request`. */
export interface RespondRequest {
  /** The kind's own verb: `GET`, `PUBLISH`, `QUERY` ... */
  readonly method: string;
  /** The kind's own target: a path, a key, a topic, a name ... */
  readonly path: string;
  /** The sender as `address:port`. */
  readonly remote: string;
  /** The headers, with names in lower case; none for a kind without them. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The query parameters, decoded; none for a kind without them. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** What the patterns of the mock have captured. */
  readonly params: Readonly<Record<string, string>>;
  /** The payload: of JSON its value, else the text, or bytes that are no text. */
  // What a client sends has no type that could be known here, and every function would have to assert one.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** The payload as it came; bytes where it is no text. */
  readonly raw_body: string | Uint8Array | undefined;
  /** The further names of the kind, as its page lists them for templates. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [name: string]: any;
}

/** The key-value store that all kinds share, for one function. */
export interface RespondState {
  /** The value of a key; `undefined` when it is not set. */
  get(key: string): string | undefined;
  /** Sets a key. @throws BacklotError `too_large` when there is no room */
  set(key: string, value: string): void;
  /** Deletes a key; does nothing when it is not set. */
  delete(key: string): void;
  /** All keys with their values. */
  all(): Readonly<Record<string, string>>;
}

/** The virtual clock, for one function. */
export interface RespondClock {
  /** Milliseconds since 1970, by the virtual clock. */
  now(): number;
  /**
   * Waits so long by the virtual clock. Resolves with `true`, or early with `false` when the client has left.
   *
   * @param signal - ends the waiting early as well, such as one that has lost a race
   */
  wait(milliseconds: number, signal?: AbortSignal): Promise<boolean>;
}

/** The keys of the configuration, for one function. */
export interface RespondKeys {
  /**
   * Signs claims as a JSON Web Token. They stand in it as they are: no time is added.
   *
   * @param typ - what the header calls it, such as `at+jwt`; `JWT` when absent
   * @throws BacklotError `invalid` when there is no such key
   */
  sign(name: string, claims: object, typ?: string): string;
  /**
   * The claims of a token that the key has signed, or why it does not count: `exp` and `nbf` are compared with the clock.
   *
   * @param leeway - milliseconds by which clocks may differ; none when absent, and with `Infinity` the time does not count
   * @throws BacklotError `invalid` when there is no such key
   */
  verify(name: string, token: string, leeway?: number): Verified;
  /**
   * The public keys as a JSON Web Key Set, without secrets.
   *
   * @param names - the keys that are wanted; all of the configuration when absent
   * @throws BacklotError `invalid` when one is not there
   */
  publicKeys(names?: readonly string[]): { readonly keys: readonly object[] };
}

/** A request that a function sends. */
export interface FunctionWebhook extends WebhookSend {
  /** Waits so long before it is sent, by the virtual clock; in milliseconds. */
  readonly delay?: number;
  /** Further attempts after a failure or a 5xx, a second apart; none when absent. */
  readonly retries?: number;
}

/** What a function is given beside the message. */
export interface RespondContext {
  /** The id of the mock. */
  readonly mockId: string;
  /** The number of this match among those of the mock since its count was last cleared, from 1. */
  readonly call: number;
  readonly state: RespondState;
  readonly clock: RespondClock;
  /** Chance by the seed: the same for the same call of the same mock. */
  readonly random: Random;
  /** What the operations `collection` of the mock have found: the last row, and the rows of the last list. */
  readonly row: unknown;
  readonly rows: readonly unknown[] | undefined;
  /**
   * What the operations have found by all the names that templates see: those that `as` gives, and `row`, `rows`, `total`,
   * `has_more` and `last`.
   */
  readonly found: Readonly<Record<string, unknown>>;
  /** The collection with this name, which all kinds share; see `host.collections`. */
  collection<Row = Json>(name: string): Collection<Row>;
  /**
   * What happens to these collections from now on, whoever changes them. It ends with the answer: for what goes on, when the
   * client leaves. Where more than 1,000 changes wait to be taken, they become one `replaced` for each collection.
   *
   * @throws BacklotError `invalid` without a name
   */
  changes<Row = Json>(...names: readonly string[]): AsyncIterableIterator<CollectionChange<Row>>;
  /** What the block `keys` of the configuration has. */
  readonly keys: RespondKeys;
  /** What templates see as `vars`. */
  readonly vars: Readonly<Record<string, unknown>>;
  /**
   * Sends a request in the background, as `webhooks` of a mock do: with what the function has made, which those cannot
   * see. Its texts are no templates. Nothing is sent where webhooks are off, and by a function whose client has left.
   *
   * @throws BacklotError `invalid` for an empty url
   */
  webhook(request: FunctionWebhook): void;
  /**
   * The ids of the open streams of a mock of any kind, such as `websocket/feed`, or of the one stream with an id, such as
   * `websocket/<id>`; none for a kind that does not run.
   *
   * @throws BacklotError `invalid` for what names no kind and mock
   */
  streams(of: string): readonly string[];
  /**
   * Pushes data into those streams, as `emit` of a mock does: with what the function has made. Its texts are no templates.
   * Nothing is pushed by a function whose client has left.
   *
   * @throws BacklotError `invalid` for what names no kind with streams and mock, and for data that the kind does not take
   */
  push(to: string, data: unknown): void;
  /** Is aborted when the client leaves, or when the time for the answer is over. */
  readonly signal: AbortSignal;
}

/**
 * Makes the answer of a mock. What it returns is data: texts in it are no templates. When it throws, returns what is no
 * valid answer or takes too long, the client gets the protocol's own answer for a server that has failed.
 */
export type RespondFunction<Answer = unknown> = (
  request: RespondRequest,
  context: RespondContext,
) => Answer | Promise<Answer>;

/** How a stored mock shows its function: the module and the export of a configuration, or the name of a function of code. */
export interface FunctionName {
  readonly module?: string;
  readonly export?: string;
  readonly function?: string;
}

/**
 * The same, where bytes may stand for base64: in fields whose names end in `_base64`, and in those of texts that have such a
 * field beside them.
 */
export type WithBytes<T> = T extends (...given: never[]) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? readonly WithBytes<Item>[]
    : T extends object
      ? string extends keyof T
        ? T
        : { readonly [Key in keyof T]: WithBytes<T[Key]> | BytesAt<Key, keyof T> }
      : T;

type BytesAt<Key, Keys> = Key extends `${string}_base64`
  ? Uint8Array
  : Key extends string
    ? `${Key}_base64` extends Keys
      ? Uint8Array
      : never
    : never;

/**
 * What a function may return: the fields of the mock that are its answer, or, where there is a field that mostly is the
 * whole answer, what stands in that field. Bytes may stand for base64, see {@link WithBytes}.
 */
export type AnswerOf<Own, Field extends string, Direct extends string> =
  | ({ readonly [Key in keyof WithBytes<Own> as Key extends Field ? Key : never]: WithBytes<Own>[Key] } & {
      /** What is pushed into the stream that the answer opens, until it ends. */
      readonly feed?: AsyncIterable<unknown>;
    })
  | AsyncIterable<unknown>
  | (Direct extends keyof WithBytes<Own> ? Exclude<WithBytes<Own>[Direct], undefined> : never);

/** Which part of a mock is its answer; see `mocks.answer` of a declaration. A mock must be valid without it. */
export interface AnswerDeclaration<Field extends string = string, Direct extends string = string> {
  /** The fields of a mock that a function gives, and that do not stand beside it. */
  readonly fields: readonly Field[];
  /** The one of them whose value a function may return as it is, without the field around it. */
  readonly direct?: Direct;
  /**
   * The fields as those of an answer whose stream stays open, for functions that go on sending into it; absent for a kind
   * whose answers are no streams. The kind gives the match to `context.streams.open`.
   */
  readonly fed?: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}
