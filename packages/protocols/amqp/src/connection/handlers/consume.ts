import { DIRECT_REPLY } from '../../broker/reply-addresses.js';
import { AmqpError } from '../../wire/amqp-error.js';
import { basic } from '../../wire/classes/basic.js';
import type { ArgumentsFor } from '../../wire/method.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { ChannelContext } from '../channel-context.js';
import { QueueConsumer } from '../queue-consumer.js';
import { ReplyConsumer } from '../reply-consumer.js';
import { findQueue } from './find.js';

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
  const isTaken = values.exclusive ? queue.consumerCount > 0 : queue.hasExclusiveConsumer;
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
  });
  queue.addConsumer(consumer);
  channel.consumers.set(tag, consumer);
  if (!values.noWait) channel.send(basic.consumeOk, { consumerTag: tag });
  queue.pump();
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
