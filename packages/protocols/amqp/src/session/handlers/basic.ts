import { AmqpError } from '../../wire/amqp-error.js';
import { basic } from '../../wire/classes/basic.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { Channel } from '../channel.js';
import { requeueAll, type Delivery } from '../unacked.js';
import { consume, stopConsuming } from './consume.js';
import { findQueue } from './find.js';
import { on, type Handler } from './handler.js';

/** Class basic. */
export const BASIC_HANDLERS: readonly Handler[] = [
  on(basic.publish, (channel, values) => channel.expectContent(values)),
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
    finish(channel, channel.unacked.take(deliveryTag, multiple), ({ queue, entry }) => queue.settle(entry));
  }),
  on(basic.reject, (channel, { deliveryTag, requeue }) => refuse(channel, deliveryTag, false, requeue)),
  on(basic.nack, (channel, { deliveryTag, multiple, requeue }) =>
    refuse(channel, deliveryTag, multiple, requeue),
  ),
  on(basic.recoverAsync, recover),
  on(basic.recover, (channel, values) => {
    recover(channel, values);
    channel.send(basic.recoverOk, {});
  }),
];

function get(channel: Channel, name: string, noAck: boolean): void {
  const queue = findQueue(channel, name);
  const entry = queue.take();
  if (entry === undefined) {
    channel.send(basic.getEmpty, { reserved1: '' });
    return;
  }
  const tag = channel.unacked.nextTag();
  if (noAck) queue.settle(entry);
  else channel.unacked.add({ tag, entry, queue, consumer: undefined });
  const { message, isRedelivered } = entry;
  const { exchange, routingKey } = message;
  const { messageCount } = queue;
  const values = { deliveryTag: tag, redelivered: isRedelivered, exchange, routingKey, messageCount };
  channel.sendContent(basic.getOk, values, message);
}

function refuse(channel: Channel, tag: number, multiple: boolean, requeue: boolean): void {
  const deliveries = channel.unacked.take(tag, multiple);
  if (!requeue) {
    finish(channel, deliveries, ({ queue, entry }) => queue.reject(entry));
    return;
  }
  const giveBack = (): void => {
    channel.settled(deliveries);
    requeueAll(deliveries);
  };
  if (channel.transaction === undefined) giveBack();
  else channel.transaction.settle(deliveries, giveBack);
}

function finish(channel: Channel, deliveries: readonly Delivery[], each: (delivery: Delivery) => void): void {
  const settle = (): void => {
    for (const delivery of deliveries) each(delivery);
    channel.settled(deliveries);
  };
  if (channel.transaction === undefined) settle();
  else channel.transaction.settle(deliveries, settle);
}

function recover(channel: Channel, { requeue }: { readonly requeue: boolean }): void {
  if (!requeue) throw new AmqpError(REPLY.notImplemented, 'requeue=false');
  const deliveries = channel.unacked.takeAll();
  channel.settled(deliveries);
  requeueAll(deliveries);
}
