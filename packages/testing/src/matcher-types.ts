import type { Expectation, JournalEntry } from '@backlot/core';
import type { Capturing } from './protocol-handle.js';
import type { SeenOptions } from './seen.js';
import type { RemoteCapturing, Wanted } from '@backlot/client';

/** What a protocol of a Backlot keeps. */
type CaptureOf<T> =
  T extends RemoteCapturing<infer Capture> ? Capture : T extends Capturing<infer Capture> ? Capture : never;

/** What a matcher answers: a promise where the Backlot runs elsewhere. */
type AnswerOf<R, T> = T extends
  { calls(...given: never[]): Promise<unknown> } | { verify(check: never): Promise<unknown> }
  ? Promise<R>
  : R;

/** What can be asked of what was received: of a protocol also a mock, by its id. */
type ReceivedOf<T> =
  | Wanted<JournalEntry>
  | (T extends { readonly url: string; calls(mockId: string): unknown } ? string : never);

/**
 * The matchers, as `expect` shows them. For a Backlot that runs elsewhere their answers are awaited.
 *
 * @typeParam R - what a matcher answers
 * @typeParam T - what was given to `expect`
 */
export interface BacklotMatchers<R, T> {
  /**
   * Passes when a protocol has captured a message that has the wanted values; without an argument, any message.
   *
   * @example expect(backlot.smtp).toHaveCaptured({ subject: 'Welcome', to: ['ann@example.com'] })
   */
  toHaveCaptured(wanted?: Wanted<CaptureOf<T>>): AnswerOf<R, T>;
  /** Passes when a protocol has captured exactly so many messages that have the wanted values. */
  toHaveCapturedTimes(times: number, wanted?: Wanted<CaptureOf<T>>): AnswerOf<R, T>;
  /**
   * Passes when a mock was called, or when a message was received whose journal entry has the wanted values.
   *
   * @example expect(backlot.http).toHaveReceived('create-order')
   * @example expect(backlot.http).toHaveReceived({ method: 'POST', path: '/orders', status: 201 })
   */
  toHaveReceived(wanted?: ReceivedOf<T>): AnswerOf<R, T>;
  /** As {@link toHaveReceived}, exactly so many times. */
  toHaveReceivedTimes(times: number, wanted?: ReceivedOf<T>): AnswerOf<R, T>;
  /**
   * Passes when there are messages that no mock matched; `expect(backlot).not.toHaveUnmatched()` lists them with the
   * closest mocks. For a whole Backlot, messages of brokers and accepted mail do not count, since it is normal that no
   * mock matches them.
   */
  toHaveUnmatched(wanted?: Wanted<JournalEntry>): AnswerOf<R, T>;
  /**
   * Passes when a whole Backlot has received the messages that are expected, over all protocols, or receives them within two
   * seconds. Each expectation has one field that is called as a protocol is, with the fields by which its mocks say what they
   * match. Wait for it with `await`.
   *
   * @example await expect(backlot).toHaveSeen([{ http: { mock: 'order' }, times: 1 }, { smtp: { to: 'ann@*' } }])
   */
  toHaveSeen(expected: readonly Expectation[], options?: SeenOptions): Promise<R>;
}
