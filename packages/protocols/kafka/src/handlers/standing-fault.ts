import { ERROR, parseErrorCode } from '../wire/errors.js';
import type { Services } from './call.js';

/** The error that answers every request of a kind while the fault is in effect; NONE without one. */
export function standingError(
  { context }: Pick<Services, 'context'>,
  which: 'fetch_error' | 'heartbeat_error',
): number {
  const given = context.faults.current?.[which];
  return given === undefined ? ERROR.NONE : parseErrorCode(given);
}
