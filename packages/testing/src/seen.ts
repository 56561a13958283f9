import { describeVerdict, type Check, type Expectation } from '@backlot/core';
import type { Subject } from './subject.js';
import { describeUnmatched, joinParts, type Verdict } from './verdict.js';

/** What is looked at beside the expectations: their order, how long to wait, and of what there must be nothing else. */
export type SeenOptions = Omit<Check, 'expect'>;

/** Less than the time that runners give a test, so that the error is seen and not theirs. */
const WITHIN = '2s';

/**
 * Whether the messages that are expected were received, or are within the time: two seconds, unless it says another.
 *
 * @param isNot - whether they are expected not to be: then it is looked at once, unless a time is given
 */
export async function judgeSeen(
  subject: Subject,
  expect: readonly Expectation[],
  options: SeenOptions,
  isNot = false,
): Promise<Verdict> {
  const verdict = await subject.host.verify({ ...(isNot ? {} : { within: WITHIN }), ...options, expect });
  const lines = describeVerdict(expect, verdict).join('\n');
  return {
    pass: verdict.verified,
    headline: `${subject.name} has ${verdict.verified ? '' : 'not '}seen what was expected:`,
    more: verdict.verified ? lines : joinParts(lines, describeUnmatched(subject)),
  };
}
