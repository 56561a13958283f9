import { AssertionError } from 'node:assert';
import type { Expectation, JournalEntry } from '@backlot/core';
import { plainEquals } from './compare.js';
import type { Capturing, ProtocolMembers, MockHandle } from './protocol-handle.js';
import type { BacklotMembers } from './backlot.js';
import { checkTimes } from './matchers.js';
import { renderPlain } from './render.js';
import { judgeSeen, type SeenOptions } from './seen.js';
import { ask } from './subject.js';
import { judgeCaptured, judgeReceived, judgeUnmatched, type Times, type Verdict } from './verdict.js';
import type {
  RemoteBacklotMembers,
  RemoteCapturing,
  RemoteMembers,
  RemoteMock,
  Wanted,
} from '@backlot/client';

/** A mock of any kind. */
type AnyMock = Pick<MockHandle, 'id' | 'calls'>;
/** A protocol of any kind. */
type AnyKind = Pick<ProtocolMembers<never>, 'url' | 'port'>;
/** A mock of a Backlot that runs elsewhere; so the following. */
type AnyRemoteMock = Pick<RemoteMock, 'id' | 'calls'>;
type AnyRemoteKind = Pick<RemoteMembers<never>, 'url' | 'port' | 'connections'>;
type AnyRemote = AnyRemoteMock | AnyRemoteKind | RemoteBacklotMembers;

/**
 * Asserts that a protocol has captured a message that has the wanted values; without `wanted`, any message.
 *
 * @throws AssertionError with the closest message and how it differs
 */
export function assertCaptured<Capture>(
  protocol: RemoteCapturing<Capture>,
  wanted?: Wanted<Capture>,
): Promise<void>;
export function assertCaptured<Capture>(protocol: Capturing<Capture>, wanted?: Wanted<Capture>): void;
export function assertCaptured(protocol: unknown, wanted?: unknown): void | Promise<void> {
  return ask(protocol, 'assertCaptured', ['protocol'], { captures: true }, (subject) =>
    check(judgeCaptured(subject, wanted, undefined, plainEquals), wanted, assertCaptured),
  );
}

/**
 * Asserts that a protocol has captured exactly so many messages that have the wanted values; 0 asserts that there is
 * none.
 *
 * @throws AssertionError with the messages there are
 */
export function assertCapturedTimes<Capture>(
  protocol: RemoteCapturing<Capture>,
  times: number,
  wanted?: Wanted<Capture>,
): Promise<void>;
export function assertCapturedTimes<Capture>(
  protocol: Capturing<Capture>,
  times: number,
  wanted?: Wanted<Capture>,
): void;
export function assertCapturedTimes(
  protocol: unknown,
  times: number,
  wanted?: unknown,
): void | Promise<void> {
  return ask(protocol, 'assertCapturedTimes', ['protocol'], { captures: true }, (subject) =>
    check(judgeCaptured(subject, wanted, checkTimes(times), plainEquals), wanted, assertCapturedTimes, times),
  );
}

/**
 * Asserts that a mock was called, or that a message was received whose journal entry has the wanted values.
 *
 * @param subject - a mock, a protocol or a whole Backlot
 * @param wanted - a part of an entry, or at a protocol the id of a mock
 * @throws AssertionError with what was received instead
 */
export function assertReceived(subject: AnyRemote, wanted?: string | Wanted<JournalEntry>): Promise<void>;
export function assertReceived(
  subject: AnyMock | AnyKind | BacklotMembers,
  wanted?: string | Wanted<JournalEntry>,
): void;
export function assertReceived(given: unknown, wanted?: unknown): void | Promise<void> {
  return ask(given, 'assertReceived', ['mock', 'protocol', 'backlot'], needOf(wanted), (subject) =>
    check(judgeReceived(subject, wanted, undefined, plainEquals), wanted, assertReceived),
  );
}

/**
 * As {@link assertReceived}, exactly so many times; 0 asserts that it never happened.
 *
 * @throws AssertionError with what was received instead
 */
export function assertReceivedTimes(
  subject: AnyRemote,
  times: number,
  wanted?: string | Wanted<JournalEntry>,
): Promise<void>;
export function assertReceivedTimes(
  subject: AnyMock | AnyKind | BacklotMembers,
  times: number,
  wanted?: string | Wanted<JournalEntry>,
): void;
export function assertReceivedTimes(given: unknown, times: number, wanted?: unknown): void | Promise<void> {
  return ask(given, 'assertReceivedTimes', ['mock', 'protocol', 'backlot'], needOf(wanted), (subject) =>
    check(judgeReceived(subject, wanted, checkTimes(times), plainEquals), wanted, assertReceivedTimes, times),
  );
}

/**
 * Asserts that every message was matched by a mock. For a whole Backlot, messages of brokers and accepted mail do not
 * count, since it is normal that no mock matches them.
 *
 * @throws AssertionError with the messages that did not, and the mocks that came closest
 */
export function assertAllMatched(subject: AnyRemoteKind | RemoteBacklotMembers): Promise<void>;
export function assertAllMatched(subject: AnyKind | BacklotMembers): void;
export function assertAllMatched(given: unknown): void | Promise<void> {
  return ask(given, 'assertAllMatched', ['protocol', 'backlot'], {}, (subject) => {
    const verdict = judgeUnmatched(subject, undefined, plainEquals);
    check({ ...verdict, pass: !verdict.pass }, undefined, assertAllMatched);
  });
}

/**
 * Asserts that a whole Backlot has received the messages that are expected, over all protocols, or receives them within two
 * seconds, unless the options say another time.
 *
 * @throws AssertionError with the nearest messages and how they differ
 */
export async function assertSeen(
  backlot: BacklotMembers | RemoteBacklotMembers,
  expected: readonly Expectation[],
  options: SeenOptions = {},
): Promise<void> {
  await ask(backlot, 'assertSeen', ['backlot'], {}, async (subject) =>
    check(await judgeSeen(subject, expected, options), expected, assertSeen),
  );
}

/** The mock that is asked about, if it is one. */
const needOf = (wanted: unknown): { readonly mockId?: string } =>
  typeof wanted === 'string' ? { mockId: wanted } : {};

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
