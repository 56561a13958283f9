import { isDeepStrictEqual } from 'node:util';
import { wire } from '@backlot/kit';

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

/** The promise's value; fails when it takes longer than so many milliseconds of real time. */
export function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = wire.after(milliseconds, () =>
      reject(new ConformanceError(`${what}: nothing after ${milliseconds} ms`)),
    );
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Resolves once the condition holds; fails when it does not within so many milliseconds of real time. */
export async function eventually(
  milliseconds: number,
  what: string,
  condition: () => boolean,
): Promise<void> {
  const end = wire.now() + milliseconds;
  while (!condition()) {
    check(wire.now() < end, `${what}: not so after ${milliseconds} ms`);
    await wire.wait(1);
  }
}

/** Lets what is on its way on this machine arrive. */
export function settle(): Promise<void> {
  return wire.wait(20);
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
