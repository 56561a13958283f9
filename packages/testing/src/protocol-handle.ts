import type {
  JournalEntry,
  JournalFilter,
  Kind,
  MockCollection,
  NewFault,
  NewMock,
  ProtocolTypes,
  StoredMockOf,
} from '@backlot/core';
import type { Wanted } from './wanted.js';

/** Which entries of one protocol to read. */
export type KindJournalFilter = Omit<JournalFilter, 'protocol'>;

/** A mock that a test has made. */
export interface MockHandle<Mock = unknown> {
  readonly id: string;
  /** How often it was called since the last reset. */
  readonly count: number;
  /** Its calls, oldest first, as far as the journal still holds them. */
  calls(): readonly JournalEntry[];
  /**
   * Waits until it was called so often.
   *
   * @param count - 1 when absent
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `timeout`, with the unmatched messages and why they did not match; `cancelled` by a reset
   */
  waitForCalls(count?: number, timeout?: number): Promise<readonly JournalEntry[]>;
  /** Puts another mock in its place, under the same id. @throws BacklotError `invalid` */
  replace(mock: NewMock<Mock>): StoredMockOf<Mock>;
  /** @throws BacklotError `not_found` when it is gone already, by a reset too */
  remove(): void;
}

/** What every protocol of a Backlot has. */
export interface ProtocolMembers<Types extends ProtocolTypes> {
  /** The protocol in the host, with all that `@backlot/core` gives. */
  readonly kind: Kind<Types>;
  /** The url by which clients connect. @throws BacklotError `not_enabled` while it does not listen */
  readonly url: string;
  /** The port on which it listens. @throws BacklotError `not_enabled` while it does not listen */
  readonly port: number;
  readonly mocks: MockCollection<Types['mock']>;
  /** Makes a mock. @throws BacklotError `invalid` with a problem per field, `conflict` when the id exists */
  mock(mock: NewMock<Types['mock']>): MockHandle<Types['mock']>;
  /** The calls of a mock, oldest first. @throws BacklotError `not_found` */
  calls(mockId: string): readonly JournalEntry[];
  /**
   * Waits until a mock was called so often.
   *
   * @param count - 1 when absent
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `not_found`; `timeout`, with the unmatched messages and why they did not match; `cancelled` by
   * a reset
   */
  waitForCalls(mockId: string, count?: number, timeout?: number): Promise<readonly JournalEntry[]>;
  /** What this protocol has taken and answered, oldest first. */
  journal(filter?: KindJournalFilter): readonly JournalEntry[];
}

/** What a protocol has that keeps messages. */
export interface Capturing<Capture> {
  /** The kept messages, oldest first: all, or those that have what is wanted. */
  captured(wanted?: Wanted<Capture>): readonly Capture[];
  /**
   * Waits for the first kept message that has what is wanted; one that is there already counts.
   *
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `timeout`, with the closest message; `cancelled` when everything is cleared first
   */
  waitForCaptured(wanted?: Wanted<Capture>, timeout?: number): Promise<Capture>;
  /** Forgets the kept messages. */
  clearCaptured(): void;
}

/** What a protocol has that can be faulted. */
export interface Faultable<Fault> {
  /** Faults every message from now on. @throws BacklotError `invalid` */
  fault(fault: NewFault<Fault>): NewFault<Fault>;
  clearFault(): void;
}

/** What a protocol has whose answers may stay open. */
export interface Streaming<Data> {
  /**
   * Sends data into the open streams of a mock.
   *
   * @returns how many streams it was delivered to
   * @throws BacklotError `invalid`; `not_found` when no stream is open
   */
  push(mockId: string, data: Data): number;
}

type WhenDeclared<Declared, Members> = [Declared] extends [never] ? unknown : Members;

/** One protocol of a Backlot. */
export type ProtocolHandle<Types extends ProtocolTypes = ProtocolTypes> = ProtocolMembers<Types> &
  WhenDeclared<Types['capture'], Capturing<Types['capture']>> &
  WhenDeclared<Types['fault'], Faultable<Types['fault']>> &
  WhenDeclared<Types['stream'], Streaming<Types['stream']>>;
