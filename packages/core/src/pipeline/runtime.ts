import type { CollectionStore } from '../collections/collection-store.js';
import type { OnceStore } from '../collections/once-store.js';
import type { Message } from '../contract/message.js';
import type { WebhookSender } from '../contract/webhook.js';
import type { MessageTest } from '../faults/compile-match.js';
import type { FaultCounts } from '../faults/fault-counts.js';
import type { Emitter } from '../emits/emitter.js';
import type { Journal } from '../journal/journal.js';
import type { LogCounter } from '../journal/log-counter.js';
import type { Tally } from '../journal/tally.js';
import type { UpstreamCounts } from '../journal/upstream-counts.js';
import type { LoggedKind } from '../journal/ring.js';
import type { MockTable } from '../mocks/mock-table.js';
import type { Counters } from '../mocks/counters.js';
import type { Protocol } from '../contract/protocol.js';
import type { Sequences } from '../stores/sequences.js';
import type { StateStore } from '../stores/state-store.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { Log } from '../contract/log.js';
import type { SharedChanges } from '../contract/shared-changes.js';
import type { SharedCounts } from '../contract/shared-counts.js';
import type { StampingClock } from '../time/clock.js';
import type { Delay } from '../time/delay.js';
import type { UnderWay } from './under-way.js';

/** What all kinds of a host share and an exchange needs. */
export interface HostServices {
  readonly clock: StampingClock;
  readonly seed: number;
  readonly state: StateStore;
  readonly collections: CollectionStore;
  readonly once: OnceStore;
  readonly journal: Journal;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly keys: KeyRing;
  readonly webhooks: WebhookSender | undefined;
  readonly emitter: Emitter;
  /** Milliseconds of real time that a function may take for an answer. */
  functionLimit: number;
  /** Grows with each reset and each restored snapshot. */
  epoch: number;
  /** What counts matches on all hosts that the same clients use; absent where this one is alone. */
  readonly sharedCounts: SharedCounts | undefined;
  /** What makes on all of them what matches change; absent where this one is alone. */
  readonly sharedChanges: SharedChanges | undefined;
  /** The id of the space that the host is. */
  readonly space: string | undefined;
  /** The sequences of the template helper `seq`. */
  readonly sequences: Sequences;
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

/** A fault ready to be rolled. */
export interface CompiledFault {
  /** What is wrong with the certificate that handshakes show. */
  readonly tls: 'expired' | 'wrong_host' | undefined;
  readonly delay: Delay;
  readonly errorRate: number;
  /** Whether it is more than latency, and more than how things stand. */
  readonly fires: boolean;
  readonly given: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly phase: 'message' | 'connect' | 'login';
  /** Which messages it is for; all when absent. */
  readonly match: MessageTest | undefined;
  /** What it has counted; absent when it counts nothing. */
  readonly counts: FaultCounts | undefined;
}

/** What an exchange needs of its kind. */
export interface KindRuntime extends LoggedKind {
  readonly protocol: Protocol;
  readonly services: HostServices;
  readonly table: MockTable;
  /** The counts of the mocks. */
  readonly counts: Counters;
  readonly kindCounter: LogCounter;
  /** How its exchanges have ended; made with the first of them. */
  tally: Tally | undefined;
  /** What became of them, where the kind has an upstream. */
  readonly upstreamCounts: UpstreamCounts | undefined;
  readonly log: Log;
  /** The fault in effect, ready to be rolled: the direct one and those of active scenarios together. */
  readonly compiledFault: CompiledFault | undefined;
  readonly faultHash: number;
  readonly underWay: UnderWay;
  /** The number of the next exchange, for fault rolls. */
  nextExchange(): number;
  /** Tells those who listen for changes of the mocks that a mock was used up. */
  usedUp(): void;
}
