import { isDeepStrictEqual } from 'node:util';
import { timers } from '@backlot/kit';

/**
 * The most milliseconds that one turn of the event loop counts for. Limits are counted in turns and not in time: the
 * loop turns more slowly when the process works or has to wait for a processor, and then a limit takes longer.
 */
const PATIENT_TURN = 1;

/** Thrown when a protocol does not do what the suite requires. */
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

/** Fails unless both values are equal as JSON, in whatever order their keys are. */
export function checkEqual(what: string, got: unknown, want: unknown): void {
  check(isDeepStrictEqual(plain(got), plain(want)), `${what}: got ${show(got)}, want ${show(want)}`);
}

/**
 * Fails unless `action` throws, or gives a promise that is rejected with, a BacklotError of this code.
 *
 * @returns that error
 */
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
 * The promise's value; fails when it takes longer than so many {@link PATIENT_TURN | turns}, which are milliseconds
 * while nothing happens.
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

/** Resolves when data that is on its way within this machine has had time to arrive. */
export function settle(): Promise<void> {
  return timers.wait(20);
}

/**
 * A copy of the value by way of JSON: values of another realm, such as clones made within jest, have other prototypes.
 */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** A value for a message. */
export function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
