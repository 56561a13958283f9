import type { Json } from './given.js';
import type { JournalEntry } from './journal.js';

/** How many messages are meant. */
export type ExpectedTimes = number | { readonly min?: number; readonly max?: number };

/** How far apart messages may be, as durations such as `1s`, by the timestamps of the log. */
export interface ExpectedGap {
  readonly min?: string;
  readonly max?: string;
  /** The name of another expectation, from whose message before it the time is counted. */
  readonly from?: string;
}

/**
 * What somebody expects to have been received: the field that is called as a kind says which messages of that kind, by the fields
 * that its mocks have for it.
 */
export type Expectation = Json & {
  /** How many: exactly so many, or between two bounds, of which `min` is 0 when only `max` is given. At least one when absent. */
  readonly times?: ExpectedTimes;
  /** What others call it. */
  readonly name?: string;
  /** The name of an expectation whose messages all come later. */
  readonly before?: string;
  /** How far apart its messages are, or how far from those of another. */
  readonly apart?: ExpectedGap;
};

/** What `Host.verify` takes. */
export interface Check {
  readonly expect: readonly Expectation[];
  /** `strict`: the messages come in the order of the list; others may come between them. `any` when absent. */
  readonly order?: 'any' | 'strict';
  /** How long to wait until it holds, by real time, as in `5s`; at most 5m. It is looked at once when absent. */
  readonly within?: string;
  /** How long it has to go on holding, by real time. Not at all when absent. */
  readonly stays?: string;
  /** Kinds of which there must be no other messages than those expected. */
  readonly nothing_else?: readonly string[];
  /** The id of a log entry: only what came later is looked at. */
  readonly after?: string;
}

/** A message that is near to what was expected. */
export interface NearMessage {
  /** The id of its log entry. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** What differs. */
  readonly reason: string;
}

/** What became of one expectation. */
export interface ExpectationVerdict {
  readonly verified: boolean;
  /** The kind. */
  readonly protocol: string;
  readonly name?: string;
  /** How many messages fit. */
  readonly count: number;
  /** The ids of their log entries: the first 100. */
  readonly ids: readonly string[];
  /** What is wrong. */
  readonly problem?: string;
  /** The messages of the kind that come nearest, where too few fit: at most 3. */
  readonly nearest?: readonly NearMessage[];
}

/** Whether all that was expected holds. */
export interface Verdict {
  readonly verified: boolean;
  /** How many messages were looked at. */
  readonly looked_at: number;
  readonly expectations: readonly ExpectationVerdict[];
  /** Messages of `nothing_else` that nobody expected: the first 10. */
  readonly unexpected?: readonly Omit<NearMessage, 'reason'>[];
  /** How many those are. */
  readonly unexpected_count?: number;
}

/** The messages of several logs, whose ids say which: `57@one`. A check looks at them in place of the log of its host. */
export interface MessagesElsewhere {
  /** Those of some kinds that have come since they were read last, in the order of each log. @throws BacklotError when a log cannot be read */
  read(kinds: ReadonlySet<string>): AsyncIterable<readonly JournalEntry[]>;
  /** Calls back when there may be more. @returns ends it */
  listen(look: () => void): () => void;
  /** The newest of a kind, `most` at most, oldest first. */
  newest(protocol: string, most: number): Promise<readonly JournalEntry[]>;
  /** Nothing more is read. */
  end(): void;
}

/** A check that looks at messages as they come, and so also at those that a reset takes out of the log. */
export interface BegunCheck {
  /**
   * Says once whether what was expected has come since the check began, and waits for it as the check says.
   *
   * @throws BacklotError `cancelled` when a reset comes while it waits, or the signal aborts; `invalid` when more messages have come
   * than one check looks at
   */
  verdict(signal?: AbortSignal): Promise<Verdict>;
  /** Looks at no more messages. */
  end(): void;
}
