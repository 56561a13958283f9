// Not the globals, which a test may have replaced by fake timers.
import { clearTimeout, setTimeout } from 'node:timers';
import { BacklotError, isBacklotError, type JournalEntry, type Kind } from '@backlot/core';
import { includes } from '@backlot/client';
import { plainEquals } from './compare.js';
import { countOf } from './entries.js';
import { renderPlain } from './render.js';
import { checkMock, type Subject } from './subject.js';
import { describeUnmatched, joinParts, judgeCaptured } from './verdict.js';

/** Less than the time that runners give a test, so that the error of the wait is seen and not theirs. */
const DEFAULT_TIMEOUT = 2_000;

/** Waits for calls of a mock, see `waitForCalls`. */
export async function waitForCalls(
  subject: Subject,
  kind: Kind,
  mockId: string,
  count = 1,
  timeout = DEFAULT_TIMEOUT,
): Promise<readonly JournalEntry[]> {
  checkNumber('count', count, 1);
  checkNumber('timeout', timeout, 0);
  checkMock(kind, mockId);
  try {
    return (await kind.calls.wait(mockId, count, timeout)).calls;
  } catch (thrown) {
    if (!isBacklotError(thrown) || thrown.code !== 'timeout') throw thrown;
    const got = kind.calls.of(mockId).count;
    const text = `${kind.kind}: "${mockId}" was called ${countOf(got, 'time')} in ${timeout} ms, want ${count}`;
    throw new BacklotError('timeout', joinParts(text, describeUnmatched({ ...subject, type: 'protocol' })), {
      fields: { mock_id: mockId, want: count, got },
      cause: thrown,
    });
  }
}

/** Waits for a captured message, see `waitForCaptured`. */
export function waitForCaptured(
  subject: Subject,
  kind: Kind,
  waits: Waits,
  wanted: unknown,
  timeout = DEFAULT_TIMEOUT,
): Promise<unknown> {
  checkNumber('timeout', timeout, 0);
  const fits = (value: unknown): boolean => wanted === undefined || includes(value, wanted, plainEquals);
  for (const item of kind.captures?.items() ?? []) {
    const there = item.read();
    if (fits(there)) return Promise.resolve(there);
  }
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe?.();
      waits.delete(cancel);
    };
    const cancel = (reason: string): void => {
      end();
      reject(new BacklotError('cancelled', reason));
    };
    const unsubscribe = kind.captures?.subscribe((event) => {
      if (event.type === 'cleared') cancel(`${kind.kind}: everything was cleared while this waited`);
      else if (fits(event.value)) {
        end();
        resolve(event.value);
      }
    });
    const timer = setTimeout(() => {
      end();
      const verdict = judgeCaptured(subject, wanted, undefined, plainEquals);
      const text = `${kind.kind}: nothing as wanted was captured in ${timeout} ms`;
      reject(new BacklotError('timeout', joinParts(text, renderPlain(verdict))));
    }, timeout);
    waits.add(cancel);
  });
}

/** How the waits under way are given up when the Backlot stops. */
export type Waits = Set<(reason: string) => void>;

function checkNumber(name: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return;
  throw new BacklotError('invalid', `${name} must be a number from ${least} on, got ${String(value)}`);
}
