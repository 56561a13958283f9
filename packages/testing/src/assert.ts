import { AssertionError } from 'node:assert';
import type { Expectation, JournalEntry } from '@backlot/core';
import { plainEquals } from './compare.js';
import type { Capturing, ProtocolMembers, MockHandle } from './protocol-handle.js';
import type { BacklotMembers } from './backlot.js';
import { checkTimes } from './matchers.js';
import { renderPlain } from './render.js';
import { judgeSeen, type SeenOptions } from './seen.js';
import { subjectOf } from './subject.js';
import { judgeCaptured, judgeReceived, judgeUnmatched, type Times, type Verdict } from './verdict.js';
import type { Wanted } from './wanted.js';

/** A mock of any kind. */
type AnyMock = Pick<MockHandle, 'id' | 'calls'>;
/** A protocol of any kind. */
type AnyKind = Pick<ProtocolMembers<never>, 'url' | 'port'>;

/**
 * Asserts that a protocol has captured a message that has the wanted values; without `wanted`, any message.
 *
 * @throws AssertionError with the closest message and how it differs
 */
export function assertCaptured<Capture>(protocol: Capturing<Capture>, wanted?: Wanted<Capture>): void {
  const subject = subjectOf(protocol, 'assertCaptured', ['protocol']);
  check(judgeCaptured(subject, wanted, undefined, plainEquals), wanted, assertCaptured);
}

/**
 * Asserts that a protocol has captured exactly so many messages that have the wanted values; 0 asserts that there is
 * none.
 *
 * @throws AssertionError with the messages there are
 */
export function assertCapturedTimes<Capture>(
  protocol: Capturing<Capture>,
  times: number,
  wanted?: Wanted<Capture>,
): void {
  const subject = subjectOf(protocol, 'assertCapturedTimes', ['protocol']);
  check(judgeCaptured(subject, wanted, checkTimes(times), plainEquals), wanted, assertCapturedTimes, times);
}

/**
 * Asserts that a mock was called, or that a message was received whose journal entry has the wanted values.
 *
 * @param subject - a mock, a protocol or a whole Backlot
 * @param wanted - a part of an entry, or at a protocol the id of a mock
 * @throws AssertionError with what was received instead
 */
export function assertReceived(
  subject: AnyMock | AnyKind | BacklotMembers,
  wanted?: string | Wanted<JournalEntry>,
): void {
  const asked = subjectOf(subject, 'assertReceived', ['mock', 'protocol', 'backlot']);
  check(judgeReceived(asked, wanted, undefined, plainEquals), wanted, assertReceived);
}

/**
 * As {@link assertReceived}, exactly so many times; 0 asserts that it never happened.
 *
 * @throws AssertionError with what was received instead
 */
export function assertReceivedTimes(
  subject: AnyMock | AnyKind | BacklotMembers,
  times: number,
  wanted?: string | Wanted<JournalEntry>,
): void {
  const asked = subjectOf(subject, 'assertReceivedTimes', ['mock', 'protocol', 'backlot']);
  check(judgeReceived(asked, wanted, checkTimes(times), plainEquals), wanted, assertReceivedTimes, times);
}

/**
 * Asserts that every message was matched by a mock. For a whole Backlot, messages of brokers and accepted mail do not
 * count, since it is normal that no mock matches them.
 *
 * @throws AssertionError with the messages that did not, and the mocks that came closest
 */
export function assertAllMatched(subject: AnyKind | BacklotMembers): void {
  const asked = subjectOf(subject, 'assertAllMatched', ['protocol', 'backlot']);
  const verdict = judgeUnmatched(asked, undefined, plainEquals);
  check({ ...verdict, pass: !verdict.pass }, undefined, assertAllMatched);
}

/**
 * Asserts that a whole Backlot has received the messages that are expected, over all protocols, or receives them within two
 * seconds, unless the options say another time.
 *
 * @throws AssertionError with the nearest messages and how they differ
 */
export async function assertSeen(
  backlot: BacklotMembers,
  expected: readonly Expectation[],
  options: SeenOptions = {},
): Promise<void> {
  const subject = subjectOf(backlot, 'assertSeen', ['backlot']);
  check(await judgeSeen(subject, expected, options), expected, assertSeen);
}

function check(verdict: Verdict, wanted: unknown, from: (...given: never[]) => unknown, times?: Times): void {
  if (verdict.pass) return;
  const { difference } = verdict;
  throw new AssertionError({
    message: renderPlain(verdict),
    actual: difference?.closest,
    expected: times === undefined ? wanted : { times, wanted },
    operator: from.name,
    stackStartFn: from,
  });
}
