import type { Template, TemplateScope, ValueTemplate } from '../templates/template.js';
import type { Challenge } from './matcher.js';
import type { Message, Reply } from './message.js';

/** A mock in effect: its stored value with the patches of active scenarios applied, validated and compiled. */
export interface LiveMock<V = unknown, C = unknown> {
  readonly id: string;
  /** The mock as it is in effect; never changes. */
  readonly value: V;
  /** What the protocol's `compile` made of it. */
  readonly compiled: C;
}

/** A mock that has matched a message. Everything that rendering its answer needs. */
export interface Match<V = unknown, C = unknown> {
  readonly type: 'matched';
  readonly mock: LiveMock<V, C>;
  /** Which match of this mock it is since its count was last cleared, from 1. */
  readonly call: number;
  /** Named captures of the mock's patterns. */
  readonly params: Readonly<Record<string, string>>;
  /** The values for templates. */
  readonly scope: TemplateScope;
  /** Renders a text template of the mock. */
  render(template: Template): string;
  /** Renders a structured template of the mock. */
  renderValue(template: ValueTemplate): unknown;
}

/** Mode `all`: every mock that matches, in order. */
export interface Matches<V = unknown, C = unknown> {
  readonly type: 'all';
  readonly matches: readonly Match<V, C>[];
}

/** A fault fires instead of the answer. */
export interface Faulted<V = unknown, C = unknown, F = Readonly<Record<string, unknown>>> {
  readonly type: 'fault';
  /** The fault's own fields; those that were not given have the kind's defaults. */
  readonly fault: F;
  /** Only the fields that were given. */
  readonly given: F;
  /** The mock that had matched, for faults that spoil an answer instead of replacing it. */
  readonly match: Match<V, C> | undefined;
}

/** Nothing else matched, and for one mock only authentication is missing. Nothing was counted. */
export interface Challenged<V = unknown, C = unknown> {
  readonly type: 'challenge';
  readonly mock: LiveMock<V, C>;
  /** What the matcher gave. */
  readonly challenge: Challenge['challenge'];
}

/** No mock matched; `exchange.nearMisses()` says why. */
export interface Unmatched {
  readonly type: 'unmatched';
}

/** Mode `items`: no fault fired; the protocol answers from `context.mocks`. */
export interface Proceed {
  readonly type: 'proceed';
}

/** A mock before which no other matches needs a field that is not there yet. Nothing was counted. */
export interface Undecided {
  readonly type: 'undecided';
}

/** The client left while the answer waited. */
export interface Aborted {
  readonly type: 'aborted';
}

/** What core decided about a message. */
export type Outcome<V = unknown, C = unknown, F = Readonly<Record<string, unknown>>> =
  | Match<V, C>
  | Matches<V, C>
  | Faulted<V, C, F>
  | Challenged<V, C>
  | Unmatched
  | Proceed
  | Undecided
  | Aborted;

/** Why a mock did not match. */
export interface NearMiss {
  readonly mock_id: string;
  readonly reason: string;
}

/**
 * One message and what became of it. The protocol calls `resolve` (or, in mode `items`, also `used`), answers, and ends
 * with exactly one of `done` and `abort`; until then the exchange is under way.
 */
export interface Exchange<
  M extends Message = Message,
  V = unknown,
  C = unknown,
  F = Readonly<Record<string, unknown>>,
> {
  readonly message: M;
  /** When it was received, by the virtual clock: milliseconds since 1970. */
  readonly startedAt: number;
  /**
   * Decides: index, matchers, counts, state, webhooks, faults, delays. Answers at once when nothing has to wait.
   *
   * @param options - `final: false` while fields may still arrive: the outcome may then be `undecided`, and
   * `resolve` is called again with the fuller message (`message` replaces the one given to `receive`)
   */
  resolve(options?: { final?: boolean; message?: M }): Outcome<V, C, F> | Promise<Outcome<V, C, F>>;
  /**
   * Matches a further message within this exchange (an alias that is followed, a part of a batch) and counts it
   * without a journal entry of its own; faults and delays are not applied again.
   */
  follow(message: M): readonly Match<V, C>[];
  /**
   * Mode `items`: the answer used this mock. Counts it, sets its state, and waits for its delay.
   *
   * @returns a promise only when the mock has a delay
   */
  used(mock: LiveMock<V, C>): Match<V, C> | Promise<Match<V, C>>;
  /**
   * The kind's own data (a store, a directory, files) answers: where no mock has matched, the exchange is none that misses
   * one. Call it before `done`.
   */
  answeredFromData(): void;
  /** Up to 3 reasons why mocks did not match, closest first. */
  nearMisses(): readonly NearMiss[];
  /** A streaming answer has begun: its journal entry appears now and is completed by `done`. */
  started(reply: Reply): void;
  /** The answer is complete. */
  done(reply?: Reply): void;
  /** The client left: ends a delay that is still waiting and records the exchange as aborted. */
  abort(): void;
  /** Whether no reset and no restored snapshot has overtaken it; else what it does is recorded nowhere. */
  readonly isCurrent: boolean;
  /** Whether a mock has matched; known as soon as `resolve` has returned, though its delay may still wait. */
  readonly matched: boolean;
  /** Whether a fault answers in place of the match; known as soon as `resolve` has returned, though it may still wait. */
  readonly faulted: boolean;
  /** Whether `done` or `abort` was called. */
  readonly ended: boolean;
  /** The virtual clock's wait, cut short when the client leaves: `false` then. */
  wait(milliseconds: number): Promise<boolean>;
}
