import { isBacklotError } from '@backlot/core';

/**
 * Runs a function, such as one that creates a mock, and gives the problems of the BacklotError that it throws as texts
 * of `path message`; the error's message when it has no problems, and an empty list when nothing is thrown.
 *
 * @throws any other error that the function throws
 */
export function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (!isBacklotError(error)) throw error;
    return error.details?.map(({ path, message }) => `${path} ${message}`) ?? [error.message];
  }
  return [];
}
