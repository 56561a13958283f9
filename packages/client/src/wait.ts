import type { JournalEntry } from '@backlot/core';
import { BacklotError } from './errors.js';
import { readEntries } from './journal.js';
import { part, type Transport } from './transport.js';

/** Less than the time that runners give a test, so that the error of the wait is seen and not theirs. */
const DEFAULT_TIMEOUT = 2_000;
const MAX_LISTED = 10;
const MAX_MISSES = 3;

/** Waits for calls of a mock: the server answers once they are there. */
export async function waitForCalls(
  transport: Transport,
  kind: string,
  mockId: string,
  count = 1,
  timeout = DEFAULT_TIMEOUT,
): Promise<readonly JournalEntry[]> {
  checkNumber('count', count, 1);
  checkNumber('timeout', timeout, 0);
  const path = `/calls/${part(kind)}/${part(mockId)}`;
  // A mock that is not there would be waited for, since it may still be made.
  await transport.call('GET', path);
  try {
    const answer = await transport.call<{ readonly calls: readonly JournalEntry[] }>('POST', `${path}/wait`, {
      count,
      timeout: `${timeout}ms`,
    });
    return answer.calls;
  } catch (thrown) {
    if (!(thrown instanceof BacklotError) || thrown.code !== 'timeout') throw thrown;
    const { count: got } = await transport.call<{ readonly count: number }>('GET', path);
    const text = `${kind}: "${mockId}" was called ${got === 1 ? '1 time' : `${got} times`} in ${timeout} ms, want ${count}`;
    throw new BacklotError('timeout', text + (await describeUnmatched(transport, kind)), { cause: thrown });
  }
}

/** Waits for a captured message that fits, and gives the first. */
export async function waitForCaptured(
  transport: Transport,
  kind: string,
  path: string,
  timeout = DEFAULT_TIMEOUT,
  fits: (message: unknown) => boolean,
): Promise<unknown> {
  checkNumber('timeout', timeout, 0);
  // Of the machine that waits, and not its date, which may be set meanwhile.
  const end = performance.now() + timeout;
  for (;;) {
    const all = await transport.call<readonly unknown[]>('GET', path);
    const found = all.find(fits);
    if (found !== undefined) return found;
    const left = Math.max(0, Math.round(end - performance.now()));
    try {
      await transport.call('POST', `${path}/wait`, { count: all.length + 1, timeout: `${left}ms` });
    } catch (thrown) {
      if (!(thrown instanceof BacklotError) || thrown.code !== 'timeout') throw thrown;
      const there = all.length === 0 ? 'there is none' : `there are ${all.length}, none as wanted`;
      throw new BacklotError(
        'timeout',
        `${kind}: nothing as wanted was captured in ${timeout} ms; ${there}`,
        { cause: thrown },
      );
    }
  }
}

/** The messages that no mock matched, with the mocks that came closest; empty when there are none. */
async function describeUnmatched(transport: Transport, kind: string): Promise<string> {
  const entries = await readEntries(transport, { protocol: kind, unmatched: true, limit: MAX_LISTED });
  if (entries.length === 0) return '';
  const lines = entries.flatMap(({ protocol, method, path, status, near_misses: misses = [] }) => [
    `  ${[protocol, method, path].filter((text) => text !== '').join(' ')}${status === undefined ? '' : ` -> ${status}`}`,
    ...misses.slice(0, MAX_MISSES).map(({ mock_id, reason }) => `    not "${mock_id}": ${reason}`),
  ]);
  return `\n\nwhat met no mock:\n${lines.join('\n')}`;
}

function checkNumber(name: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return;
  throw new BacklotError('invalid', `${name} must be a number from ${least} on, got ${String(value)}`);
}
