import type { Expectation } from '@backlot/core';
import { judgeSeen, type SeenOptions } from './seen.js';
import { judgeCaptured, judgeReceived, judgeUnmatched, joinParts, type Verdict } from './verdict.js';
import { ask } from './subject.js';
import type { Equals } from '@backlot/client';

/** What jest and vitest give a matcher as `this`, as far as it is used here. */
export interface MatcherContext {
  equals: Equals;
  readonly isNot?: boolean;
  readonly utils: {
    matcherHint(name: string, received?: string, expected?: string, options?: object): string;
    diff(expected: unknown, received: unknown): string | null | undefined;
  };
}

/** What a matcher answers. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** What a matcher answers: at once, or later when the Backlot runs elsewhere. */
type Answer = MatcherResult | Promise<MatcherResult>;

/** The id of the mock that is asked about, if it is one. */
const mockIdOf = (wanted: unknown): string | undefined => (typeof wanted === 'string' ? wanted : undefined);

/** Matchers for `expect.extend` of jest and of vitest. */
export const matchers = {
  /** Whether a protocol has captured a message that has the wanted values. */
  toHaveCaptured(this: MatcherContext, received: unknown, wanted?: unknown): Answer {
    return ask(received, 'toHaveCaptured', ['protocol'], { captures: true }, (subject) =>
      answer(this, 'toHaveCaptured', judgeCaptured(subject, wanted, undefined, this.equals)),
    );
  },

  /** Whether a protocol has captured exactly so many messages that have the wanted values. */
  toHaveCapturedTimes(this: MatcherContext, received: unknown, times: number, wanted?: unknown): Answer {
    return ask(received, 'toHaveCapturedTimes', ['protocol'], { captures: true }, (subject) =>
      answer(this, 'toHaveCapturedTimes', judgeCaptured(subject, wanted, checkTimes(times), this.equals)),
    );
  },

  /** Whether a mock was called, or a message was received that has the wanted values. */
  toHaveReceived(this: MatcherContext, received: unknown, wanted?: unknown): Answer {
    return ask(
      received,
      'toHaveReceived',
      ['mock', 'protocol', 'backlot'],
      { mockId: mockIdOf(wanted) },
      (subject) => answer(this, 'toHaveReceived', judgeReceived(subject, wanted, undefined, this.equals)),
    );
  },

  /** Whether that has happened exactly so many times. */
  toHaveReceivedTimes(this: MatcherContext, received: unknown, times: number, wanted?: unknown): Answer {
    return ask(
      received,
      'toHaveReceivedTimes',
      ['mock', 'protocol', 'backlot'],
      { mockId: mockIdOf(wanted) },
      (subject) =>
        answer(this, 'toHaveReceivedTimes', judgeReceived(subject, wanted, checkTimes(times), this.equals)),
    );
  },

  /** Whether there are messages that no mock matched. */
  toHaveUnmatched(this: MatcherContext, received: unknown, wanted?: unknown): Answer {
    return ask(received, 'toHaveUnmatched', ['protocol', 'backlot'], {}, (subject) =>
      answer(this, 'toHaveUnmatched', judgeUnmatched(subject, wanted, this.equals)),
    );
  },

  /** Whether the messages that are expected were received, over all protocols, or are within the time. */
  async toHaveSeen(
    this: MatcherContext,
    received: unknown,
    expected: readonly Expectation[],
    options: SeenOptions = {},
  ): Promise<MatcherResult> {
    return ask(received, 'toHaveSeen', ['backlot'], {}, async (subject) =>
      answer(this, 'toHaveSeen', await judgeSeen(subject, expected, options, this.isNot)),
    );
  },
};

function answer({ utils, isNot = false }: MatcherContext, name: string, verdict: Verdict): MatcherResult {
  const { pass, headline, difference, more } = verdict;
  return {
    pass,
    message() {
      const hint = utils.matcherHint(name, 'received', 'expected', { isNot });
      const diff = difference === undefined ? '' : (utils.diff(difference.wanted, difference.closest) ?? '');
      return joinParts(hint, headline, diff, more);
    },
  };
}

/** The number itself. @throws TypeError unless it is a whole number of 0 or more */
export function checkTimes(times: number): number {
  if (Number.isInteger(times) && times >= 0) return times;
  throw new TypeError(`the number of times must be 0 or more, got ${String(times)}`);
}
