import type { Field, FieldTable } from '../wire/field-table.js';
import { AmqpError } from '../wire/amqp-error.js';
import { REPLY } from '../wire/reply-codes.js';
import { readInterval } from './interval.js';
import { kindsThatTake, QUEUE_KINDS, type QueueKind } from './queue-kinds.js';

/** What the arguments of a queue ask for. */
export interface QueueArguments {
  /** What `x-queue-type` says. */
  readonly kind: QueueKind;
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
  /** How often a message of a quorum queue may come back. */
  readonly deliveryLimit: number | undefined;
  /** The highest priority of a message; 0 is none. */
  readonly maxPriority: number;
  readonly hasSingleActiveConsumer: boolean;
  /** Milliseconds that a message stays in a stream. */
  readonly maxAge: number | undefined;
}

const OVERFLOWS = ['drop-head', 'reject-publish', 'reject-publish-dlx'] as const;
const STRATEGIES = ['at-most-once', 'at-least-once'] as const;

/**
 * Reads the arguments of a queue. Those that mean nothing here are kept, for comparison with later declarations; those
 * that a queue of another type has are refused.
 *
 * @param where - as in `queue 'jobs' in vhost '/'`
 * @throws AmqpError 406 when one has a value that it cannot have, or is not one for the type of the queue
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
  const oneOf = <T extends string>(name: string, known: readonly T[], absent: T): T => {
    const value = text(name) ?? absent;
    return known.find((each) => each === value) ?? refuse(name, value, `one of ${known.join(', ')}`);
  };
  const kind = oneOf('x-queue-type', QUEUE_KINDS, 'classic');
  checkKind(table, kind, where);
  const deadLetterExchange = text('x-dead-letter-exchange');
  const deadLetterRoutingKey = text('x-dead-letter-routing-key');
  if (deadLetterRoutingKey !== undefined && deadLetterExchange === undefined) {
    refuse('x-dead-letter-routing-key', deadLetterRoutingKey, 'allowed without x-dead-letter-exchange');
  }
  oneOf('x-dead-letter-strategy', STRATEGIES, 'at-most-once');
  const age = text('x-max-age');
  const maxAge = age === undefined ? undefined : readInterval(age);
  if (age !== undefined && maxAge === undefined) {
    refuse('x-max-age', age, 'a number with one of the units Y, M, D, h, m, s');
  }
  number('x-stream-max-segment-size-bytes', 0);
  const deliveryLimit = number('x-delivery-limit', -1);
  return {
    kind,
    messageTtl: number('x-message-ttl', 0),
    expires: number('x-expires', 1),
    maxLength: number('x-max-length', 0),
    maxLengthBytes: number('x-max-length-bytes', 0),
    overflow: oneOf('x-overflow', OVERFLOWS, 'drop-head'),
    deadLetterExchange,
    deadLetterRoutingKey,
    deliveryLimit: deliveryLimit === -1 ? undefined : deliveryLimit,
    maxPriority: number('x-max-priority', 0, 255) ?? 0,
    hasSingleActiveConsumer: table.get('x-single-active-consumer') === true,
    maxAge,
  };
}

/** How a queue is to be, beside its arguments. */
interface Properties {
  readonly durable: boolean;
  readonly autoDelete: boolean;
  readonly exclusiveTo: unknown;
}

/**
 * Checks what a queue of a type may be: quorum queues and streams are durable, and live until they are deleted.
 *
 * @throws AmqpError 406
 */
export function checkQueueProperties(
  { kind }: QueueArguments,
  { durable, autoDelete, exclusiveTo }: Properties,
  where: string,
): void {
  if (kind === 'classic') return;
  const wrong = [
    [!durable, 'non-durable'],
    [autoDelete, 'auto-delete'],
    [exclusiveTo !== undefined, 'exclusive-owner'],
  ] as const;
  for (const [isWrong, property] of wrong) {
    if (isWrong) throw new AmqpError(REPLY.preconditionFailed, `invalid property '${property}' for ${where}`);
  }
}

function checkKind(table: FieldTable, kind: QueueKind, where: string): void {
  for (const name of table.keys()) {
    const kinds = kindsThatTake(name);
    if (kinds === undefined || kinds.includes(kind)) continue;
    throw new AmqpError(
      REPLY.preconditionFailed,
      `invalid arg '${name}' for ${where} of queue type rabbit_${kind}_queue`,
    );
  }
}

function show(value: Field): string {
  return typeof value === 'string' || typeof value === 'number' ? `'${value}'` : 'the value';
}
