import type { Field, FieldTable } from '../wire/field-table.js';
import { AmqpError } from '../wire/amqp-error.js';
import { REPLY } from '../wire/reply-codes.js';

/** What the arguments of a queue ask for. */
export interface QueueArguments {
  /** Milliseconds a message stays. */
  readonly messageTtl: number | undefined;
  /** Milliseconds the queue stays while nobody uses it. */
  readonly expires: number | undefined;
  readonly maxLength: number | undefined;
  /** Bytes of bodies. */
  readonly maxLengthBytes: number | undefined;
  readonly overflow: 'drop-head' | 'reject-publish' | 'reject-publish-dlx';
  readonly deadLetterExchange: string | undefined;
  readonly deadLetterRoutingKey: string | undefined;
  /** The highest priority of a message; 0 is none. */
  readonly maxPriority: number;
  readonly hasSingleActiveConsumer: boolean;
}

const OVERFLOWS = ['drop-head', 'reject-publish', 'reject-publish-dlx'] as const;

/**
 * Reads the arguments of a queue. Those that mean nothing here are kept, for comparison with later declarations.
 *
 * @param where - as in `queue 'jobs' in vhost '/'`
 * @throws AmqpError 406 when one has a value that it cannot have
 */
export function readQueueArguments(table: FieldTable, where: string): QueueArguments {
  const refuse = (name: string, value: Field, right: string): never => {
    throw new AmqpError(
      REPLY.preconditionFailed,
      `invalid arg '${name}' for ${where}: ${show(value)} is not ${right}`,
    );
  };
  const number = (name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined => {
    const value = table.get(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    return refuse(name, value, `a whole number of at least ${least}`);
  };
  const text = (name: string): string | undefined => {
    const value = table.get(name);
    return value === undefined || typeof value === 'string' ? value : refuse(name, value, 'a text');
  };
  const overflow = text('x-overflow') ?? 'drop-head';
  const known = OVERFLOWS.find((each) => each === overflow);
  const deadLetterExchange = text('x-dead-letter-exchange');
  const deadLetterRoutingKey = text('x-dead-letter-routing-key');
  if (deadLetterRoutingKey !== undefined && deadLetterExchange === undefined) {
    refuse('x-dead-letter-routing-key', deadLetterRoutingKey, 'allowed without x-dead-letter-exchange');
  }
  return {
    messageTtl: number('x-message-ttl', 0),
    expires: number('x-expires', 1),
    maxLength: number('x-max-length', 0),
    maxLengthBytes: number('x-max-length-bytes', 0),
    overflow: known ?? refuse('x-overflow', overflow, `one of ${OVERFLOWS.join(', ')}`),
    deadLetterExchange,
    deadLetterRoutingKey,
    maxPriority: number('x-max-priority', 0, 255) ?? 0,
    hasSingleActiveConsumer: table.get('x-single-active-consumer') === true,
  };
}

function show(value: Field): string {
  return typeof value === 'string' || typeof value === 'number' ? `'${value}'` : 'the value';
}
