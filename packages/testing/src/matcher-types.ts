import type { JournalEntry, ProtocolTypes } from '@backlot/core';
import type { Capturing, ProtocolMembers } from './protocol-handle.js';
import type { Wanted } from './wanted.js';

/** What a protocol of a Backlot keeps. */
type CaptureOf<T> = T extends Capturing<infer Capture> ? Capture : never;

/** What can be asked of what was received: of a protocol also a mock, by its id. */
type ReceivedOf<T> =
  Wanted<JournalEntry> | (T extends Pick<ProtocolMembers<ProtocolTypes>, 'url' | 'calls'> ? string : never);

/**
 * The matchers, as `expect` shows them.
 *
 * @typeParam R - what a matcher answers
 * @typeParam T - what was given to `expect`
 */
export interface BacklotMatchers<R, T> {
  /**
   * Passes when a protocol has kept a message that has what is wanted; without an argument, any message.
   *
   * @example expect(backlot.smtp).toHaveCaptured({ subject: 'Welcome', to: ['ann@example.com'] })
   */
  toHaveCaptured(wanted?: Wanted<CaptureOf<T>>): R;
  /** Passes when a protocol has kept exactly so many messages that have what is wanted. */
  toHaveCapturedTimes(times: number, wanted?: Wanted<CaptureOf<T>>): R;
  /**
   * Passes when a mock was called, or when a message came that has what is wanted of its journal entry.
   *
   * @example expect(backlot.http).toHaveReceived('create-order')
   * @example expect(backlot.http).toHaveReceived({ method: 'POST', path: '/orders', status: 201 })
   */
  toHaveReceived(wanted?: ReceivedOf<T>): R;
  /** The same, exactly so many times. */
  toHaveReceivedTimes(times: number, wanted?: ReceivedOf<T>): R;
  /**
   * Passes when messages met no mock; `expect(backlot).not.toHaveUnmatched()` lists them with the mocks that came closest.
   * Of a Backlot, brokers and mail that was taken do not count: messages without a mock are their normal case.
   */
  toHaveUnmatched(wanted?: Wanted<JournalEntry>): R;
}
