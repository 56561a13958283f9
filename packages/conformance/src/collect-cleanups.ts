import { afterEach } from '@jest/globals';

/** Keeps something to be done when the test that runs now has ended. */
export type AfterThis = (cleanup: () => unknown) => void;

/**
 * What the tests of a file open is closed by what this gives: each cleanup runs after the test that kept it, the last
 * kept first, and whatever became of the test. It is called once, at the top of a test file or of a module that test
 * files import, because jest takes no hooks inside of a test.
 *
 * One cleanup that fails does not keep the others from running; the test fails with the first one's error.
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
