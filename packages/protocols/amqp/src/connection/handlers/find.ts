import type { Exchange } from '../../broker/exchange.js';
import type { BrokerQueue } from '../../broker/queue-types.js';
import { AmqpError } from '../../wire/amqp-error.js';
import type { Field } from '../../wire/field-table.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { ChannelContext } from '../channel-context.js';

/** @throws AmqpError 404 when there is none */
export function findExchange({ connection }: ChannelContext, name: string): Exchange {
  const exchange = connection.broker.registry.exchanges.get(name);
  if (exchange !== undefined) return exchange;
  throw new AmqpError(REPLY.notFound, `no exchange '${name}' in vhost '${connection.virtualHost}'`);
}

/** @throws AmqpError 404 when there is none, 405 when another connection has it for itself */
export function findQueue(channel: ChannelContext, name: string): BrokerQueue {
  const { connection } = channel;
  const queue = connection.broker.registry.queues.get(resolveQueueName(channel, name));
  if (queue === undefined) {
    throw new AmqpError(REPLY.notFound, `no queue '${name}' in vhost '${connection.virtualHost}'`);
  }
  checkAccess(channel, queue);
  return queue;
}

/** @throws AmqpError 405 when another connection has the queue for itself */
export function checkAccess({ connection }: ChannelContext, queue: BrokerQueue): void {
  const { exclusiveTo } = queue.definition;
  if (exclusiveTo === undefined || exclusiveTo === connection) return;
  throw new AmqpError(
    REPLY.resourceLocked,
    `cannot obtain exclusive access to locked queue '${queue.name}' in vhost '${connection.virtualHost}'. ` +
      'It could be originally declared on another connection or the exclusive property value does not match that of ' +
      'the original declaration.',
  );
}

/** @throws AmqpError 540 for what streams do not have, in RabbitMQ's words */
export function refuseStream({ connection }: ChannelContext, queue: BrokerQueue, what: string): void {
  if (queue.settings.kind !== 'stream') return;
  const where = `queue '${queue.name}' in vhost '${connection.virtualHost}'`;
  throw new AmqpError(REPLY.notImplemented, `${what} not supported by stream queues ${where}`);
}

/** An empty name is the queue that was declared last on the channel. @throws AmqpError 404 when there was none */
export function resolveQueueName(channel: ChannelContext, name: string): string {
  if (name !== '') return name;
  if (channel.lastQueue !== undefined) return channel.lastQueue;
  throw new AmqpError(REPLY.notFound, 'no previously declared queue');
}

/** The error of a declaration that differs from what is there. */
export function inequivalent(
  name: string,
  what: string,
  received: Field | undefined,
  current: Field | undefined,
): AmqpError {
  return new AmqpError(
    REPLY.preconditionFailed,
    `inequivalent arg '${name}' for ${what}: received ${show(received)} but current is ${show(current)}`,
  );
}

function show(value: Field | undefined): string {
  if (value === undefined) return 'none';
  if (typeof value === 'object') return 'another value';
  return `'${String(value)}'`;
}
