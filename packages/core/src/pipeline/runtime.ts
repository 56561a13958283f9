import type { Message } from '../contract/message.js';
import type { WebhookSender } from '../contract/webhook.js';
import type { Journal } from '../journal/journal.js';
import type { LogCounter } from '../journal/log-counter.js';
import type { LoggedKind } from '../journal/ring.js';
import type { MockTable } from '../mocks/mock-table.js';
import type { Counters } from '../mocks/counters.js';
import type { Protocol } from '../contract/protocol.js';
import type { StateStore } from '../stores/state-store.js';
import type { Log } from '../contract/log.js';
import type { StampingClock } from '../time/clock.js';

/** What all kinds of a host share and an exchange needs. */
export interface HostServices {
  readonly clock: StampingClock;
  readonly seed: number;
  readonly state: StateStore;
  readonly journal: Journal;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly webhooks: WebhookSender | undefined;
  /** Grows with each reset and each restored snapshot. */
  epoch: number;
  nextInSequence(name: string): number;
  /**
   * The newest exchange of all kinds, for the line about a stall: most likely it is the one that has held the event
   * loop.
   */
  latest: LatestExchange | undefined;
}

/** The newest exchange, as those who look into a stall see it. */
export interface LatestExchange {
  readonly kind: string;
  readonly message: Message;
  /** When it began, by a clock that only runs forward. */
  readonly began: number;
  readonly matchedId: string | undefined;
}

/** A matched exchange that has not ended, in the list of those of its kind. */
export interface ExchangeUnderWay {
  readonly matchedId: string | undefined;
  newer: ExchangeUnderWay | undefined;
  older: ExchangeUnderWay | undefined;
  /** Shows it in the journal though it is still under way. */
  show(): void;
}

/** A fault ready to be rolled. Times are milliseconds. */
export interface CompiledFault {
  readonly delay: number;
  readonly delayRange: { readonly min: number; readonly max: number } | undefined;
  readonly errorRate: number;
  /** Whether it is more than latency. */
  readonly fires: boolean;
  readonly given: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly phase: 'message' | 'connect';
}

/** What an exchange needs of its kind. */
export interface KindRuntime extends LoggedKind {
  readonly protocol: Protocol;
  readonly services: HostServices;
  readonly table: MockTable;
  /** The counts of the mocks. */
  readonly counts: Counters;
  readonly kindCounter: LogCounter;
  readonly log: Log;
  /** The fault in effect, ready to be rolled: the direct one and those of active scenarios together. */
  readonly compiledFault: CompiledFault | undefined;
  readonly faultHash: number;
  /** Matched exchanges that have not ended: the newest first. */
  newestUnderWay: ExchangeUnderWay | undefined;
  /** The number of the next exchange, for fault rolls. */
  nextExchange(): number;
  /** Tells those who listen for changes of the mocks that a mock was used up. */
  usedUp(): void;
}
