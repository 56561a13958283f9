import type { Message } from './message.js';
import type { NearMiss } from './outcome.js';
import type { Span } from './span.js';
import type { ContractNote } from './contracts.js';
import type { UpstreamNote } from './upstream.js';

/** One exchange of a kind, or a span of an application, as people see it. */
export type JournalEntry = {
  /** A number as text. Ids increase in the order in which entries appear. */
  readonly id: string;
  /** When the message was received: RFC 3339, UTC, by the virtual clock. Of a span its start, by the clock of the application. */
  readonly timestamp: string;
  /** The space that it belongs to; absent for none. */
  readonly space?: string;
  /** Whose log it is in; there when it is told of several replicas. */
  readonly replica?: string;
  /** The kind; `span` for a span. */
  readonly protocol: string;
  /** The kind's own verb, such as `GET` or `PUBLISH`. */
  readonly method: string;
  /** The kind's own target, such as a path, a key or a topic. */
  readonly path: string;
  readonly status?: number | string;
  /** Whole milliseconds from the message to the end of its answer; 0 while the exchange is under way. */
  readonly duration_ms: number;
  /** There when the answer was delayed on purpose: for how long, in milliseconds. What it took beyond that is in `duration_ms`. */
  readonly delays?: {
    /** By the mock, or by the slowest of those that answered together. */
    readonly mock_ms?: number;
    /** By the fault of the kind and that of the mock. */
    readonly fault_ms?: number;
  };
  /** The id of the trace that the message belongs to, of its header `traceparent` (W3C Trace Context). */
  readonly trace?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** There when the body is not UTF-8: `body` is base64 then. */
  readonly body_encoding?: 'base64';
  /** There when the body was longer than 64 KiB: `body` holds the first 64 KiB. */
  readonly body_truncated?: true;
  /** The mock that matched. */
  readonly matched_id?: string;
  readonly path_params?: Readonly<Record<string, string>>;
  /** There when a fault fired. */
  readonly fault?: true;
  /** There when the function of the mock has failed: why. */
  readonly failure?: string;
  readonly remote: string;
  readonly response?: {
    readonly status?: number | string;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string;
    readonly body_encoding?: 'base64';
    readonly body_truncated?: true;
  };
  /** There when a mock was looked for and none matched, unless data of the kind, or the kind by itself, has answered. */
  readonly unmatched?: true;
  /**
   * There when a mock was looked for, none matched, and the kind has no other answer: what brokers and stores take without a mock
   * is no miss.
   */
  readonly missed?: true;
  readonly near_misses?: readonly NearMiss[];
  /** There when an upstream was asked. */
  readonly upstream?: UpstreamNote;
  /** There when the kind has a contract. */
  readonly contract?: ContractNote;
  /** There when the client left before the answer was complete. */
  readonly aborted?: true;
  /** There when it is no message but a span of an application: `method` is its kind then, `path` its name, and `remote` its service. */
  readonly span?: Span;
};

/** One journal entry, which `render` makes. */
export interface JournalItem {
  readonly id: string;
  /** Increases in the order in which entries appear, also over the journals of a host and its spaces, which number their own. */
  readonly order: number;
  /** What was received; of a message with a large body only the common fields. */
  readonly message: Message;
  /** Whether its answer is complete. */
  readonly ended: boolean;
  /**
   * @param without - `near_misses` leaves these out, which cost more to make than all the rest; `bodies` leaves out the bodies as
   * well, which cost most of that
   */
  render(without?: 'near_misses' | 'bodies'): JournalEntry;
}

/** Which entries to read; a field that is absent selects all. */
export interface JournalFilter {
  /** Only entries of this kind. */
  readonly protocol?: string;
  /** Only entries that the mock with this id matched. */
  readonly matchedId?: string;
  /** True: only messages for which a mock was looked for and none matched. False: only those that a mock matched. */
  readonly unmatched?: boolean;
  /** Only entries after the one with this id, which may have been dropped. */
  readonly after?: string;
  /** At most so many entries: the newest; with `after` the first after it. */
  readonly limit?: number;
}

/** The journal of all kinds: what was received and answered. */
export interface JournalCollection {
  /** The id of the newest entry, also of one that was cleared; `0` before the first. */
  readonly newest: string;
  /** The entries, oldest first, each rendered. */
  list(filter?: JournalFilter): readonly JournalEntry[];
  /**
   * The entries of {@link list}, which are not rendered yet. They can be rendered also after the journal has dropped
   * them.
   */
  items(filter?: JournalFilter): readonly JournalItem[];
  /** The entries of {@link list}, newest first, each looked for when it is asked for; those that are dropped meanwhile are left out. */
  backwards(filter?: Omit<JournalFilter, 'after' | 'limit'>): Iterator<JournalItem, void>;
  /** The entry with this id, rendered; `undefined` when there is none, or it was dropped. */
  find(id: string): JournalEntry | undefined;
  /** The same, not rendered yet. */
  item(id: string): JournalItem | undefined;
  /**
   * How many entries there were since the last clear. With a filter of more than `protocol` and `matchedId` it is how
   * many the journal still holds, and `complete` is false.
   */
  count(filter?: JournalFilter): { readonly count: number; readonly complete: boolean };
  /** Drops all entries and sets the counts of entries to 0. Ids go on increasing. */
  clear(): void;
  /**
   * Puts an entry of an earlier run behind those that there are, with its id and its time; ids go on behind it. Its kind need not be
   * installed, and no mock counts it as a call.
   *
   * @throws BacklotError `conflict` for an id that is not behind those that were given
   */
  recall(entry: JournalEntry): void;
  /**
   * Calls back for each entry that appears and passes the filter. An entry of a streaming answer appears when the
   * answer begins.
   *
   * @param withEnds - whether the callback is called again at the end of an exchange that was shown before it
   * @returns a function that ends the subscription
   */
  subscribe(filter: JournalFilter, callback: (entry: JournalItem) => void, withEnds?: boolean): () => void;
}

/** How often a mock was called, with the journal entries of its calls. */
export interface CallsView<Entry = JournalEntry> {
  readonly mock_id: string;
  /** How often the mock has matched since counts were last cleared. */
  readonly count: number;
  /** The entries that the journal still holds, oldest first; those under way are among them. */
  readonly calls: readonly Entry[];
}

/** The calls of one kind's mocks. */
export interface CallBook {
  /** The calls of a mock. An id that no mock has, or ever had, has none. */
  of(mockId: string): CallsView;
  /** As {@link of}, with entries that are not rendered yet. */
  items(mockId: string, filter?: Pick<JournalFilter, 'after' | 'limit'>): CallsView<JournalItem>;
  /** The mocks that were called since counts were last cleared, with how often. */
  counts(): Iterable<readonly [mockId: string, count: number]>;
  /**
   * Resolves with the calls of a mock as soon as it was called `count` times since counts were last cleared; the mock
   * need not exist yet.
   *
   * @param timeout - milliseconds of real time
   * @throws BacklotError `timeout` with `mock_id`, `want`, `got`; `cancelled` when a reset comes first or the signal
   * aborts
   */
  wait(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<CallsView>;
  /** As {@link wait}, without reading the calls. */
  waitUntilCalled(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves with the first `count` entries of a mock that fit, of those that the journal holds and those that come.
   *
   * @param fits - looks at an entry, in steps between which others are let in; what it throws ends the wait
   * @param timeout - milliseconds of real time
   * @throws BacklotError as {@link wait}; `got` is how many fitted
   */
  waitUntilFits(
    mockId: string,
    fits: (item: JournalItem) => Iterator<unknown, boolean>,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<readonly JournalItem[]>;
  /** Sets how often a mock was called, as in an earlier run; one that is not there counts nothing. */
  recall(mockId: string, count: number): void;
  /** Adds calls to the count of a mock that others have counted for it, or takes them away; nothing when there is no such mock. */
  add(mockId: string, calls: number): void;
  /** Drops the journal entries of one mock, and sets the call counts of all mocks of the kind to 0. */
  clear(mockId: string): void;
  /** Drops all journal entries of the kind, and sets the call counts of all its mocks to 0. */
  clearAll(): void;
}
