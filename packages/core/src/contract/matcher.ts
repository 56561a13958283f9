import type { Delay } from '../time/delay.js';
import type { Message } from './message.js';
import type { CompiledWebhook } from './webhook.js';

/**
 * What `test` answers when a field that it needs has not arrived yet. `resolve({ final: false })` then gives
 * `undecided`, and nothing is counted; in a final `resolve` the mock does not match.
 */
export const LATER: unique symbol = Symbol.for('backlot.later');

/** What `test` answers when only the authentication of the message is missing or wrong and everything else matches. */
export interface Challenge {
  /** What the protocol needs to ask its client for credentials; core passes it on unread. */
  readonly challenge: unknown;
}

/** Why a mock does not match: a sentence, or a function that makes the sentence when a near miss is shown. */
export type Miss = string | (() => string);

/**
 * What `test` says about a message: `true` when it matches, else why it does not, {@link LATER} or a {@link Challenge}.
 */
export type TestResult = true | Miss | typeof LATER | Challenge;

/** A fault of one mock. Core rolls it when that mock has matched and the fault of the kind has not fired. */
export interface MockFault {
  /** Added before the answer, whether the error fires or not. */
  readonly delay?: Delay;
  /** The share of messages, 0 to 1, for which the error fires. */
  readonly errorRate: number;
  /** The kind's own fault fields; absent when the fault only delays. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * What a protocol's `compile` makes of one mock in effect. Core reads the members below; a protocol adds what it needs to
 * answer, such as templates and encoded bytes.
 */
export interface CompiledMock<M extends Message> {
  /**
   * The index key of this mock, one that `mocks.keys` gives for its messages; `*` when absent. A kind's own index
   * ignores it.
   */
  readonly key?: string;
  /**
   * Whether the message matches. It is called for each candidate, so it must be quick and without effects. When it is
   * absent, every message for which the index gives this mock matches.
   *
   * @param isFound - true when the index has given this mock for this message: then what the index is sure of need not
   * be tested again. Absent or false when somebody asks why the mock does not match: then everything must be tested
   */
  test?(message: M, isFound?: boolean): TestResult;
  /**
   * What is captured of a message that matches beside the named groups of patterns, such as the segments of a path; called when a
   * template or a journal entry reads it. Core adds what the regular expressions of {@link CompileTools.pattern} and
   * {@link CompileTools.places} capture in `test`.
   */
  params?(message: M): Readonly<Record<string, string>>;
  /** After so many matches the mock is as if absent, as with the core field `times`; the smaller of the two holds. */
  readonly limit?: number;
  /** Whether what it answers depends on how many messages it has matched before, as that of a sequence does. */
  readonly isOrdered?: boolean;
  /** The fault of this mock alone. */
  readonly fault?: MockFault;
  /** The webhooks that core starts when the mock matches. */
  readonly webhooks?: readonly CompiledWebhook[];
}
