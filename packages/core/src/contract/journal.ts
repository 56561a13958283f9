import type { NearMiss } from './outcome.js';

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

/** One journal entry, made when it is rendered. */
export interface JournalItem {
  readonly id: string;
  render(): JournalEntry;
}

/** Which entries to read. */
export interface JournalFilter {
  readonly protocol?: string;
  readonly matchedId?: string;
  readonly unmatched?: boolean;
  /** Only entries after the one with this id, which need not be there any more. */
  readonly after?: string;
  /** The newest so many; with `after` the first so many after it. */
  readonly limit?: number;
}

/** The journal of all kinds. */
export interface JournalReader {
  /** Oldest first. */
  list(filter?: JournalFilter): readonly JournalEntry[];
  /** Those of {@link list}, each of which is made when it is rendered, whatever happens to the journal meanwhile. */
  items(filter?: JournalFilter): readonly JournalItem[];
  /** One entry; `undefined` when the journal does not hold it. */
  find(id: string): JournalEntry | undefined;
  /** Exact since the last clear for no filter, `protocol` and `matchedId`; else what the ring holds, and `complete` is false. */
  count(filter?: JournalFilter): { readonly count: number; readonly complete: boolean };
  clear(): void;
  /**
   * Calls back for each entry as it appears. What is dropped is never rendered.
   *
   * @returns a function that ends the subscription
   */
  subscribe(filter: JournalFilter, callback: (entry: JournalItem) => void): () => void;
}

/** The calls of one mock. */
export interface CallsView<Entry = JournalEntry> {
  readonly mock_id: string;
  /** How often it has matched since counts were cleared. */
  readonly count: number;
  /** Its entries, oldest first. */
  readonly calls: readonly Entry[];
}

/** The calls of one kind's mocks. */
export interface CallBook {
  of(mockId: string): CallsView;
  /** As {@link of}, with entries that are made when they are rendered. */
  items(mockId: string, filter?: Pick<JournalFilter, 'after' | 'limit'>): CallsView<JournalItem>;
  /**
   * Resolves once the mock was called `count` times.
   *
   * @param timeout - milliseconds of real time
   * @throws BacklotError `timeout` with `mock_id`, `want`, `got`; `cancelled` when a reset comes first or the signal aborts
   */
  wait(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<CallsView>;
  /** As {@link wait}, without an answer. */
  reached(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<void>;
  /** Clears the mock's log entries and all call counts of the kind. */
  clear(mockId: string): void;
  /** Clears all log entries and all call counts of the kind. */
  clearAll(): void;
}
