import { DIRECT_REPLY } from '../../broker/reply-addresses.js';
import type { BrokerQueue } from '../../broker/queue-types.js';
import { STREAM_OFFSET } from '../../broker/stream-offset.js';
import { AmqpError } from '../../wire/amqp-error.js';
import { basic } from '../../wire/classes/basic.js';
import type { ArgumentsFor } from '../../wire/method.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { ChannelContext } from '../channel-context.js';
import { QueueConsumer } from '../queue-consumer.js';
import { ReplyConsumer } from '../reply-consumer.js';
import { findQueue, refuseStream } from './find.js';

/** Consumers of one channel. */
const MAX_CONSUMERS = 1000;

type Consume = ArgumentsFor<typeof basic.consume>;

/** Starts a consumer (AMQP 0-9-1 reference, 1.8.3.3). */
export function consume(channel: ChannelContext, values: Consume): void {
  const tag =
    values.consumerTag === '' ? `amq.ctag-${channel.connection.context.newId()}` : values.consumerTag;
  if (channel.consumers.has(tag) || channel.replyConsumer?.tag === tag) {
    throw new AmqpError(REPLY.notAllowed, `attempt to reuse consumer tag '${tag}'`);
  }
  if (values.queue === DIRECT_REPLY) startReplies(channel, values, tag);
  else startConsumer(channel, values, tag);
}

/** Ends a consumer (AMQP 0-9-1 reference, 1.8.3.5); what it has not acknowledged stays with the channel. */
export function stopConsuming(channel: ChannelContext, tag: string): void {
  const consumer = channel.consumers.get(tag);
  channel.consumers.delete(tag);
  consumer?.queue.removeConsumer(consumer);
  if (channel.replyConsumer?.tag !== tag) return;
  channel.connection.broker.replies.remove(channel.replyConsumer);
  channel.replyConsumer = undefined;
}

function startConsumer(channel: ChannelContext, values: Consume, tag: string): void {
  if (channel.consumers.size >= MAX_CONSUMERS) {
    throw new AmqpError(REPLY.notAllowed, `reached maximum (${MAX_CONSUMERS}) of consumers per channel`);
  }
  const queue = findQueue(channel, values.queue);
  if (queue.settings.kind === 'quorum' && channel.sharedPrefetch > 0) {
    throw new AmqpError(
      REPLY.notImplemented,
      `queue '${queue.name}' in vhost '${channel.connection.virtualHost}' does not support global qos`,
    );
  }
  checkStream(channel, queue, values);
  // The readers of a stream leave each other what they read.
  const isTaken =
    queue.settings.kind !== 'stream' &&
    (values.exclusive ? queue.consumerCount > 0 : queue.hasExclusiveConsumer);
  if (isTaken) {
    throw new AmqpError(
      REPLY.accessRefused,
      `queue '${queue.name}' in vhost '${channel.connection.virtualHost}' in exclusive use`,
    );
  }
  const consumer = new QueueConsumer(channel, queue, {
    tag,
    noAck: values.noAck,
    isExclusive: values.exclusive,
    prefetch: channel.prefetch,
    arguments: values.arguments,
  });
  queue.addConsumer(consumer);
  channel.consumers.set(tag, consumer);
  if (!values.noWait) channel.send(basic.consumeOk, { consumerTag: tag });
  queue.pump();
}

/** @throws AmqpError 406 or 540 for what only streams have, and for what they need or do not have */
function checkStream(channel: ChannelContext, queue: BrokerQueue, values: Consume): void {
  const where = `queue '${queue.name}' in vhost '${channel.connection.virtualHost}'`;
  const { kind } = queue.settings;
  if (kind !== 'stream') {
    if (!values.arguments.has(STREAM_OFFSET)) return;
    throw new AmqpError(
      REPLY.preconditionFailed,
      `invalid arg '${STREAM_OFFSET}' for ${where} of queue type rabbit_${kind}_queue`,
    );
  }
  if (values.noAck) refuseStream(channel, queue, 'automatic acknowledgement');
  if (channel.prefetch === 0) {
    throw new AmqpError(REPLY.preconditionFailed, `consumer prefetch count is not set for '${where}'`);
  }
}

function startReplies(channel: ChannelContext, values: Consume, tag: string): void {
  const { connection } = channel;
  if (!values.noAck) {
    throw new AmqpError(REPLY.preconditionFailed, 'reply consumer cannot acknowledge');
  }
  if (channel.replyConsumer !== undefined) {
    throw new AmqpError(REPLY.preconditionFailed, 'reply consumer already set');
  }
  channel.replyConsumer = new ReplyConsumer(channel, `${DIRECT_REPLY}.${connection.context.newId()}`, tag);
  connection.broker.replies.add(channel.replyConsumer);
  if (!values.noWait) channel.send(basic.consumeOk, { consumerTag: tag });
}
