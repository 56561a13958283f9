import { AmqpError } from '../wire/amqp-error.js';
import type { Field } from '../wire/field-table.js';
import { REPLY } from '../wire/reply-codes.js';
import { readInterval } from './interval.js';
import type { StreamLog } from './stream-log.js';

/** The argument of a consumer that says where it begins to read a stream. */
export const STREAM_OFFSET = 'x-stream-offset';

/**
 * Where a consumer begins to read.
 *
 * @param given - `first`, `last`, `next`, an offset, a timestamp, or how long ago, such as `5m`; `next` when absent
 * @param now - virtual time in ms
 * @param where - as in `queue 'log' in vhost '/'`
 * @throws AmqpError 406 when it is none of these
 */
export function startOf(given: Field | undefined, log: StreamLog, now: number, where: string): number {
  if (given === undefined || given === 'next') return log.next;
  if (given === 'first') return log.first;
  if (given === 'last') return Math.max(log.next - 1, log.first);
  if (typeof given === 'number' || typeof given === 'bigint')
    return Math.max(Math.trunc(Number(given)), log.first);
  const time = timeOf(given, now);
  if (time !== undefined) return log.findTime(time);
  throw new AmqpError(
    REPLY.preconditionFailed,
    `invalid arg '${STREAM_OFFSET}' for ${where}: it must be first, last, next, an offset, a timestamp, or an interval such as 5m`,
  );
}

function timeOf(given: Field, now: number): number | undefined {
  if (typeof given === 'string') {
    const interval = readInterval(given);
    return interval === undefined ? undefined : now - interval;
  }
  const isTimestamp = typeof given === 'object' && given !== null && 'timestamp' in given;
  return isTimestamp ? given.timestamp.seconds * 1000 : undefined;
}
