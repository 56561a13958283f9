import { isDeepStrictEqual } from 'node:util';
import { timers } from '@backlot/kit';

/**
 * Milliseconds that a turn of the event loop counts as at most. Limits are counted in such turns and not in time: the
 * loop of a process that works, or that a busy machine keeps waiting, turns more slowly, and then a limit is longer.
 */
const PATIENT_TURN = 1;

/** A protocol does not do what the suite asks of it. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';
}

/** Fails with what was found and what would be right. */
export function fail(message: string): never {
  throw new ConformanceError(message);
}

/** Fails unless the condition holds. */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message);
}

/** Fails unless both are equal as JSON has it, whatever order their keys have. */
export function checkEqual(what: string, got: unknown, want: unknown): void {
  check(isDeepStrictEqual(plain(got), plain(want)), `${what}: got ${show(got)}, want ${show(want)}`);
}

/** Fails unless `action` throws, or rejects with, a BacklotError of this code; answers it. */
export async function checkRefused(what: string, code: string, action: () => unknown): Promise<Error> {
  try {
    await action();
  } catch (thrown) {
    const got = (thrown as { code?: unknown } | null)?.code;
    check(
      thrown instanceof Error && got === code,
      `${what}: got the error ${show(thrown)}, want one with the code "${code}"`,
    );
    return thrown;
  }
  return fail(`${what}: was accepted, want an error with the code "${code}"`);
}

/**
 * The promise's value; fails when it takes longer than so many {@link PATIENT_TURN | turns}, which are milliseconds while
 * nothing happens.
 */
export function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = milliseconds / PATIENT_TURN;
    const timer = timers.every(PATIENT_TURN, () => {
      left -= 1;
      if (left > 0) return;
      timer.cancel();
      reject(new ConformanceError(`${what}: nothing after ${milliseconds} ms`));
    });
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Resolves once the condition holds; fails when it does not within so many turns, as {@link within}. */
export async function eventually(
  milliseconds: number,
  what: string,
  condition: () => boolean,
): Promise<void> {
  for (let left = milliseconds / PATIENT_TURN; !condition(); left -= 1) {
    check(left > 0, `${what}: not so after ${milliseconds} ms`);
    await timers.wait(PATIENT_TURN);
  }
}

/** Lets what is on its way on this machine arrive. */
export function settle(): Promise<void> {
  return timers.wait(20);
}

/** The value as JSON has it: values of another realm, such as clones made within jest, have prototypes of their own. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** A value for a message. */
export function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
