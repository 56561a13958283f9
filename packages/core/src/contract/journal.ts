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
