import { BacklotError, isBacklotError } from '@backlot/core';

/**
 * Runs a function that may refuse a value. The message of an error that has several problems then shows all of them, a
 * line each, since a test shows nothing else of it.
 *
 * @param from - the function that the stack of the error begins after
 * @throws what `run` throws
 */
export function showProblems<T>(run: () => T, from: (...given: never[]) => unknown): T {
  try {
    return run();
  } catch (thrown) {
    throw withProblems(thrown, from);
  }
}

/** The same error with every problem in its message; anything else as it is. */
export function withProblems(thrown: unknown, from?: (...given: never[]) => unknown): unknown {
  if (!isBacklotError(thrown) || (thrown.details ?? []).length < 2) return thrown;
  const { code, message, details = [], fields } = thrown;
  const lines = details.map(({ path, message: text }) => `  ${path === '' ? '' : `${path}: `}${text}`);
  const shown = new BacklotError(code, `${message}:\n${lines.join('\n')}`, {
    details,
    ...(fields === undefined ? {} : { fields }),
    cause: thrown,
  });
  if (from !== undefined) Error.captureStackTrace(shown, from);
  return shown;
}
