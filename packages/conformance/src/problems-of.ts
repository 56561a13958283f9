import { isBacklotError } from '@backlot/core';

/**
 * What core finds wrong, for instance when a mock is created: the problems as lines of `path message`, or the message of
 * an error that has none; nothing when all is well.
 *
 * @throws what is thrown and is no BacklotError
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
