import { afterEach } from '@jest/globals';

/** Registers a cleanup that is called when the present test has ended. */
export type AfterThis = (cleanup: () => unknown) => void;

/**
 * Gives a function by which tests register cleanups. The cleanups of a test are called after it, whether it has passed
 * or failed, the last registered first. Call this once, at the top of a test file or of a module that test files
 * import, because jest takes no hooks inside of a test.
 *
 * When a cleanup fails, the others are called all the same, and the test fails with the first error.
 */
export function collectCleanups(): AfterThis {
  const cleanups: (() => unknown)[] = [];
  afterEach(() => runAll(cleanups.splice(0).reverse()));
  return (cleanup) => {
    cleanups.push(cleanup);
  };
}

/** Runs one after the other, to the last; throws the first error then. */
export async function runAll(cleanups: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const cleanup of cleanups) {
    try {
      await cleanup();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
