import type {
  ConnectionFilter,
  ConnectionView,
  Farewell,
  JournalEntry,
  JournalFilter,
  Kind,
  MockCollection,
  NewFault,
  NewMock,
  ProtocolTypes,
  StoredMockOf,
} from '@backlot/core';
import type { Wanted } from '@backlot/client';

/** Which entries of one protocol to read. */
export type KindJournalFilter = Omit<JournalFilter, 'protocol'>;

/** A mock that a test has made. */
export interface MockHandle<Mock = unknown> {
  readonly id: string;
  /** How often it was called since the last reset. */
  readonly count: number;
  /** The journal entries of its calls, oldest first, as far as the journal still holds them. */
  calls(): readonly JournalEntry[];
  /**
   * Waits until it was called `count` times since the last reset.
   *
   * @param count - 1 when absent
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `timeout`, with the unmatched messages and why they did not match; `cancelled` by a reset
   */
  waitForCalls(count?: number, timeout?: number): Promise<readonly JournalEntry[]>;
  /** Replaces it by another mock, under the same id. @throws BacklotError `invalid` */
  replace(mock: NewMock<Mock>): StoredMockOf<Mock>;
  /** Removes the mock. @throws BacklotError `not_found` when it was removed already, also by a reset */
  remove(): void;
}

/** The members that every protocol of a Backlot has. */
export interface ProtocolMembers<Types extends ProtocolTypes> {
  /** The protocol in the host, as `@backlot/core` has it. */
  readonly kind: Kind<Types>;
  /** The url by which clients connect. @throws BacklotError `not_enabled` while it does not listen */
  readonly url: string;
  /** The port on which it listens. @throws BacklotError `not_enabled` while it does not listen */
  readonly port: number;
  readonly mocks: MockCollection<Types['mock']>;
  /** Creates a mock. @throws BacklotError `invalid` with a problem per field, `conflict` when the id exists */
  mock(mock: NewMock<Types['mock']>): MockHandle<Types['mock']>;
  /** The calls of a mock, oldest first. @throws BacklotError `not_found` */
  calls(mockId: string): readonly JournalEntry[];
  /**
   * Waits until a mock was called `count` times since the last reset.
   *
   * @param count - 1 when absent
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `not_found`; `timeout`, with the unmatched messages and why they did not match; `cancelled` by
   * a reset
   */
  waitForCalls(mockId: string, count?: number, timeout?: number): Promise<readonly JournalEntry[]>;
  /** The open connections of this protocol, the oldest first. */
  connections(): readonly ConnectionView[];
  /**
   * Closes open connections: those that fit, or all.
   *
   * @param how - `end` when absent; `reset` is a TCP RST, and `goodbye` the last words of the protocol
   * @returns how many
   */
  closeConnections(filter?: ConnectionFilter, how?: Farewell): number;
  /** The journal entries of this protocol, oldest first. */
  journal(filter?: KindJournalFilter): readonly JournalEntry[];
}

/** The members of a protocol that captures messages. */
export interface Capturing<Capture> {
  /** The captured messages, oldest first: all, or those that have the wanted values. */
  captured(wanted?: Wanted<Capture>): readonly Capture[];
  /**
   * Waits for a captured message that has the wanted values, and gives the first; one that is there already counts.
   *
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `timeout`, with the closest message; `cancelled` when everything is cleared first
   */
  waitForCaptured(wanted?: Wanted<Capture>, timeout?: number): Promise<Capture>;
  /** Drops the captured messages. */
  clearCaptured(): void;
}

/** The members of a protocol that can be faulted. */
export interface Faultable<Fault> {
  /** Sets the fault of the protocol, in place of an earlier one. @throws BacklotError `invalid` */
  fault(fault: NewFault<Fault>): NewFault<Fault>;
  /** Clears the fault. */
  clearFault(): void;
}

/** The members of a protocol that has streaming answers. */
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
