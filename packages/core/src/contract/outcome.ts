import type { Delay } from '../time/delay.js';
import type { Template, TemplateScope, ValueTemplate } from '../templates/template.js';
import type { Challenge } from './matcher.js';
import type { Message, Reply } from './message.js';
import type { ContractNote } from './contracts.js';
import type { UpstreamNote } from './upstream.js';

/** A mock in effect: its stored value with the patches of active scenarios applied, validated and compiled. */
export interface LiveMock<V = unknown, C = unknown> {
  readonly id: string;
  /** Its fields, with the patches of active scenarios applied; the object never changes. */
  readonly value: V;
  /** What the protocol's `compile` made of it. */
  readonly compiled: C;
}

/** A mock that has matched a message, with everything that rendering its answer needs. */
export interface Match<V = unknown, C = unknown> {
  readonly type: 'matched';
  readonly mock: LiveMock<V, C>;
  /** The number of this match among those of the mock since its count was last cleared, from 1. */
  readonly call: number;
  /** The named captures of the mock's patterns. */
  readonly params: Readonly<Record<string, string>>;
  /** The values that templates see. */
  readonly scope: TemplateScope;
  /** The milliseconds of a delay of the mock for this call: the same for the same seed, mock and call. */
  delayOf(delay: Delay): number;
  /** Renders a text template of the mock. */
  render(template: Template): string;
  /** Renders a structured template of the mock. */
  renderValue(template: ValueTemplate): unknown;
}

/** Mode `all`: every mock that matches, in rank order; at least one. */
export interface Matches<V = unknown, C = unknown> {
  readonly type: 'all';
  readonly matches: readonly Match<V, C>[];
}

/** A fault fires in place of the answer. */
export interface Faulted<V = unknown, C = unknown, F = Readonly<Record<string, unknown>>> {
  readonly type: 'fault';
  /** The kind's own fields of the fault; those that were not given have the declared defaults. */
  readonly fault: F;
  /** Only the fields that were given. */
  readonly given: F;
  /** The mock that had matched, if any: for faults that spoil its answer instead of replacing it. */
  readonly match: Match<V, C> | undefined;
}

/** No mock matches, and for one of them only the authentication is missing or wrong. Nothing was counted. */
export interface Challenged<V = unknown, C = unknown> {
  readonly type: 'challenge';
  /** The first such mock in rank order. */
  readonly mock: LiveMock<V, C>;
  /** What its `test` gave. */
  readonly challenge: Challenge['challenge'];
}

/** No mock matches; `exchange.nearMisses()` says why the closest ones do not. */
export interface Unmatched {
  readonly type: 'unmatched';
}

/** Mode `items`: no fault fires, and the protocol answers from `context.mocks`. */
export interface Proceed {
  readonly type: 'proceed';
}

/**
 * `resolve({ final: false })` only: before any mock matches, one that ranks higher needs a field that has not arrived
 * yet. Nothing was counted.
 */
export interface Undecided {
  readonly type: 'undecided';
}

/** The exchange was aborted, since its client left, while the answer waited for a delay. */
export interface Aborted {
  readonly type: 'aborted';
}

/** What core has decided about a message. */
export type Outcome<V = unknown, C = unknown, F = Readonly<Record<string, unknown>>> =
  | Match<V, C>
  | Matches<V, C>
  | Faulted<V, C, F>
  | Challenged<V, C>
  | Unmatched
  | Proceed
  | Undecided
  | Aborted;

/** A mock that did not match, and why, as a sentence. */
export interface NearMiss {
  readonly mock_id: string;
  readonly reason: string;
}

/**
 * One message and what became of it. The protocol calls `resolve`, in mode `items` also `used` for each mock of the
 * answer, then answers, and ends the exchange with `done`, or with `abort` when the client has left. Until then the
 * exchange is under way; a second `done` or `abort` does nothing.
 */
export interface Exchange<
  M extends Message = Message,
  V = unknown,
  C = unknown,
  F = Readonly<Record<string, unknown>>,
> {
  readonly message: M;
  /** When the message was received: milliseconds since 1970 by the virtual clock. */
  readonly startedAt: number;
  /**
   * Decides what becomes of the message: finds the mock, counts it, rolls faults, sets state, starts webhooks and waits
   * for delays. It gives a promise only when there is a delay to wait for, or what replicas count together. A mock that they cannot count
   * now is answered as if the fault of the kind had fired.
   *
   * @param options - `final: false` while fields may still arrive: when the outcome is `undecided`, call `resolve`
   * again with the fuller message as `message`, which replaces the one that was given to `receive`. `mocks: false` asks no
   * mock, for what goes to an upstream: the outcome is a fault, or `unmatched`, which is no miss then
   */
  resolve(options?: {
    final?: boolean;
    message?: M;
    mocks?: boolean;
  }): Outcome<V, C, F> | Promise<Outcome<V, C, F>>;
  /**
   * Matches a further message within this exchange, such as an alias that is followed or a part of a batch. Its matches
   * are counted, set state and start webhooks; faults and delays are not applied again, and the journal has no entry of
   * its own for it.
   *
   * @returns the matches: in mode `first` at most one. A promise only for mocks that replicas count together; it gives a fault where they
   * cannot, which is to be answered in place of all else, and is never rejected. When the exchange has ended meanwhile, nothing is to be
   * answered
   */
  follow(message: M): readonly Match<V, C>[] | Promise<readonly Match<V, C>[] | Faulted<V, C, F>>;
  /**
   * Tells a mock of mode `first` of something that asks for no answer, such as a client that has left. As for {@link follow},
   * its match is counted, sets state and starts webhooks, and no fault is rolled; its function may take its time.
   *
   * @returns a promise only where the function has given one: the exchange is to be ended after it
   */
  inform(message: M): Promise<void> | undefined;
  /**
   * Mode `items`: says that the answer uses this mock, which is then counted, sets its state, starts its webhooks, and
   * is waited for when it has a delay.
   *
   * @returns a promise only when the mock has a delay, or when replicas count its uses together; it also resolves when the client leaves
   * during that. Where replicas count, it may give that the mock is as if absent by now, `unmatched`, or the fault that is to be
   * answered since they cannot
   */
  used(mock: LiveMock<V, C>): Match<V, C> | Promise<Match<V, C> | Faulted<V, C, F> | Unmatched>;
  /**
   * Says that the kind's own data (a store, a directory, files) has answered the message: when no mock has matched, the
   * exchange does not count as unmatched. Call it before `done`.
   */
  answeredFromData(): void;
  /**
   * Notes what an upstream has to do with the exchange, for the journal. One that it has answered is no miss. Call it before
   * `done`.
   *
   * @param kept - what the journal shows in place of the message from now on, such as one without secrets
   */
  noteUpstream(note: UpstreamNote, kept?: M): void;
  /** Notes what the contract has to do with the exchange, for the journal; what was noted before stays. See {@link ContractDesk}. */
  noteContract(note: ContractNote): void;
  /** At most 3 mocks that did not match, the closest first; none when a mock has matched. */
  nearMisses(): readonly NearMiss[];
  /** Says that a streaming answer has begun: its journal entry appears now, and `done` completes it. */
  started(reply: Reply): void;
  /** Ends the exchange: the answer is complete, and the journal entry appears or is completed. */
  done(reply?: Reply): void;
  /**
   * Ends the exchange because the client has left: a delay that waits ends, and the journal entry is marked as aborted.
   */
  abort(): void;
  /**
   * Whether neither a reset nor a restored snapshot has come since it began. When one has, the exchange is not counted
   * or recorded any more.
   */
  readonly isCurrent: boolean;
  /**
   * Whether a mock has matched; known when `resolve` has returned, also while its promise waits for a delay, and not while replicas
   * count.
   */
  readonly matched: boolean;
  /** Whether a fault fires; known when `resolve` has returned, also while its promise waits for a delay. */
  readonly faulted: boolean;
  /** Whether `done` or `abort` was called. */
  readonly ended: boolean;
  /** Waits so long by the virtual clock. Resolves with `true`, or early with `false` when the exchange is aborted. */
  wait(milliseconds: number): Promise<boolean>;
}
