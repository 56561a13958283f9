import type { Message } from './message.js';
import type { CompiledWebhook } from './webhook.js';

/**
 * A matcher's answer when a field it needs has not arrived yet. With `resolve({ final: false })` the outcome is
 * then `undecided` and nothing is counted; in a final resolve it is a miss.
 */
export const LATER: unique symbol = Symbol.for('backlot.later');

/** A matcher's answer when all else fits and only authentication is missing. */
export interface Challenge {
  /** What the protocol needs to challenge its client; core only hands it on. */
  readonly challenge: unknown;
}

/** Why a mock does not match, for near misses: a sentence, or a function that makes it when somebody reads it. */
export type Miss = string | (() => string);

/** What a matcher says about a message: it fits, why it does not, not yet, or all but the authentication fits. */
export type TestResult = true | Miss | typeof LATER | Challenge;

/** A fault that belongs to one mock, rolled by core when that mock has matched. */
export interface MockFault {
  /** Milliseconds added before the answer, whether the error fires or not. */
  readonly delay?: number;
  /** Milliseconds; rolled for each message. */
  readonly delayRange?: { readonly min: number; readonly max: number };
  /** 0 to 1; how often the error fires. */
  readonly errorRate: number;
  /** The kind's own fault fields; absent for pure latency. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * What a protocol's `compile` makes of one effective mock. A protocol adds what it needs to answer (templates, encoded
 * bytes); core reads the members below.
 */
export interface CompiledMock<M extends Message> {
  /** The index key under which `mocks.keys` finds this mock; `*` when absent. Ignored when the kind brings its own index. */
  readonly key?: string;
  /**
   * Whether the message fits; pure and quick, called for each candidate. Absent: every message under the key fits.
   *
   * @param isFound - whether the index has given this mock for this message, so that what the index is sure of need not be
   * tested again; absent or false when somebody asks why the mock does not match
   */
  test?(message: M, isFound?: boolean): TestResult;
  /** Named captures of a message that fits, computed when a template or the journal reads them. */
  params?(message: M): Readonly<Record<string, string>>;
  /** Like the core field `times`: after so many matches the mock is as if absent. */
  readonly limit?: number;
  /** See {@link MockFault}. */
  readonly fault?: MockFault;
  /** Outbound calls that core starts when the mock matches. */
  readonly webhooks?: readonly CompiledWebhook[];
}
