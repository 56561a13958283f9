import { NEXT_TURN, type Job } from '@backlot/kit';
import type { BrokerQueue } from '../../broker/queue-types.js';
import { AmqpError } from '../../wire/amqp-error.js';
import { basic } from '../../wire/classes/basic.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { ChannelContext } from '../channel-context.js';
import { giveBack, inSteps, MAX_UNACKED, type Delivery } from '../unacked.js';
import { consume, stopConsuming } from './consume.js';
import { findQueue, refuseStream } from './find.js';
import { on, type Handler } from './handler.js';

/** So many deliveries are settled without a step in between. */
const FEW = 64;

/** Class basic (AMQP 0-9-1 reference, 1.8). */
export const BASIC_HANDLERS: readonly Handler[] = [
  on(basic.publish, (channel, values) => {
    channel.connection.held.beginMessage();
    channel.expectContent(values);
  }),
  on(basic.qos, (channel, { prefetchSize, prefetchCount, global: isShared }) => {
    if (prefetchSize > 0) {
      throw new AmqpError(REPLY.notImplemented, `prefetch_size!=0 (${prefetchSize})`);
    }
    if (isShared) channel.sharedPrefetch = prefetchCount;
    else channel.prefetch = prefetchCount;
    channel.send(basic.qosOk, {});
    channel.pump();
  }),
  on(basic.consume, consume),
  on(basic.cancel, (channel, { consumerTag, noWait }) => {
    stopConsuming(channel, consumerTag);
    if (!noWait) channel.send(basic.cancelOk, { consumerTag });
  }),
  on(basic.get, (channel, { queue: name, noAck }) => get(channel, name, noAck)),
  on(basic.ack, (channel, { deliveryTag, multiple }) => {
    acceptAll(channel, channel.unacked.take(deliveryTag, multiple));
  }),
  on(basic.reject, (channel, { deliveryTag, requeue }) => refuse(channel, deliveryTag, false, requeue)),
  on(basic.nack, (channel, { deliveryTag, multiple, requeue }) =>
    refuse(channel, deliveryTag, multiple, requeue),
  ),
  on(basic.recoverAsync, (channel, { requeue }) => recover(channel, requeue, () => undefined)),
  on(basic.recover, (channel, { requeue }) =>
    recover(channel, requeue, () => channel.send(basic.recoverOk, {})),
  ),
];

function get(channel: ChannelContext, name: string, noAck: boolean): void {
  const queue = findQueue(channel, name);
  refuseStream(channel, queue, 'basic.get');
  if (!noAck && channel.unacked.isFull) {
    throw new AmqpError(REPLY.resourceError, `${MAX_UNACKED} messages wait for an acknowledgement already`);
  }
  if (queue.dropExpired()) getFirst(channel, queue, noAck);
  else channel.connection.work(channel, getInSteps(channel, queue, noAck));
}

function* getInSteps(channel: ChannelContext, queue: BrokerQueue, noAck: boolean): Generator {
  while (!queue.dropExpired()) yield channel.connection.broker.hasManyLetters ? NEXT_TURN : undefined;
  getFirst(channel, queue, noAck);
}

function getFirst(channel: ChannelContext, queue: BrokerQueue, noAck: boolean): void {
  const entry = queue.take();
  if (entry === undefined) {
    channel.send(basic.getEmpty, { reserved1: '' });
    return;
  }
  const tag = channel.unacked.nextTag();
  if (noAck) queue.settle(entry);
  else channel.unacked.add({ tag, entry, queue, consumer: undefined });
  const { delivered: message, isRedelivered } = entry;
  const { exchange, routingKey } = message;
  const { messageCount } = queue;
  const values = { deliveryTag: tag, redelivered: isRedelivered, exchange, routingKey, messageCount };
  channel.sendContent(basic.getOk, values, message);
}

function refuse(channel: ChannelContext, tag: number, multiple: boolean, requeue: boolean): void {
  const deliveries = channel.unacked.take(tag, multiple);
  for (const { queue } of deliveries) refuseStream(channel, queue, 'basic.nack and basic.reject');
  const isFew = deliveries.length <= FEW && channel.transaction === undefined;
  const isQuick = isFew && !(requeue && deliveries.some(({ queue }) => queue.isCrowded));
  if (isQuick && requeue) runAtOnce(giveBack(deliveries, settled));
  else if (isQuick && !channel.connection.broker.hasManyLetters) reject(channel, deliveries);
  else if (requeue) settle(channel, deliveries, () => giveBack(deliveries, settled));
  else settle(channel, deliveries, () => rejectAll(channel, deliveries));

  function settled(batch: readonly Delivery[]): void {
    channel.settled(batch);
  }
}

/** Does in one step what is little. */
function runAtOnce(steps: Job): void {
  while (steps.next().done !== true);
}

function acceptAll(channel: ChannelContext, deliveries: readonly Delivery[]): void {
  const accept = (batch: readonly Delivery[]): void => {
    for (const { queue, entry } of batch) queue.settle(entry);
    channel.settled(batch);
  };
  if (deliveries.length <= FEW && channel.transaction === undefined) accept(deliveries);
  else settle(channel, deliveries, () => inSteps(deliveries, accept));
}

function reject(channel: ChannelContext, deliveries: readonly Delivery[]): void {
  for (const { queue, entry } of deliveries) queue.reject(entry);
  channel.settled(deliveries);
}

function* rejectAll(channel: ChannelContext, deliveries: readonly Delivery[]): Generator {
  const { broker } = channel.connection;
  for (const steps = inSteps(deliveries, (batch) => reject(channel, batch)); steps.next().done !== true;) {
    yield;
    while (broker.hasManyLetters) yield NEXT_TURN;
  }
}

/** Settles deliveries (AMQP 0-9-1 reference, 1.8.3.13): in a transaction when it is committed, else now. */
function settle(channel: ChannelContext, deliveries: readonly Delivery[], steps: () => Job): void {
  const { transaction, connection } = channel;
  if (transaction !== undefined) transaction.settle(deliveries, steps);
  else connection.work(channel, steps());
}

function recover(channel: ChannelContext, isRequeued: boolean, done: () => void): void {
  for (const { queue } of channel.consumers.values()) refuseStream(channel, queue, 'basic.recover');
  if (!isRequeued) throw new AmqpError(REPLY.notImplemented, 'requeue=false');
  channel.connection.work(channel, recoverAll(channel, done));
}

function* recoverAll(channel: ChannelContext, done: () => void): Generator {
  yield* giveBack(channel.unacked.takeAll(), (batch) => channel.settled(batch));
  done();
}
