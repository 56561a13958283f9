import { Binding } from '../../broker/binding.js';
import { own } from '../../broker/owner.js';
import type { BrokerQueue } from '../../broker/queue-types.js';
import { isReplyAddress } from '../../broker/reply-addresses.js';
import { AmqpError } from '../../wire/amqp-error.js';
import { queue as queueClass } from '../../wire/classes/queue.js';
import type { FieldTable } from '../../wire/field-table.js';
import type { ArgumentsFor } from '../../wire/method.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { ChannelContext } from '../channel-context.js';
import { compareArguments, refuseDefault } from './exchange.js';
import {
  checkAccess,
  findExchange,
  findQueue,
  inequivalent,
  refuseStream,
  resolveQueueName,
} from './find.js';
import { on, type Handler } from './handler.js';

type Declare = ArgumentsFor<typeof queueClass.declare>;

/** Class queue (AMQP 0-9-1 reference, 1.7). */
export const QUEUE_HANDLERS: readonly Handler[] = [
  on(queueClass.declare, (channel, values) => {
    if (values.passive && isReplyAddress(values.queue)) {
      findReplyAddress(channel, values.queue);
      channel.send(queueClass.declareOk, { queue: values.queue, messageCount: 0, consumerCount: 1 });
      return;
    }
    const queue = values.passive ? findQueue(channel, values.queue) : declare(channel, values);
    queue.touch();
    channel.lastQueue = queue.name;
    if (values.noWait) return;
    const { name, messageCount, consumerCount } = queue;
    channel.send(queueClass.declareOk, { queue: name, messageCount, consumerCount });
  }),
  on(queueClass.bind, (channel, values) => {
    const binding = makeBinding(channel, values);
    own(channel.connection, channel.connection.broker.registry.addBinding(binding));
    if (!values.noWait) channel.send(queueClass.bindOk, {});
  }),
  on(queueClass.unbind, (channel, values) => {
    const { registry } = channel.connection.broker;
    const binding = registry.findBinding(makeBinding(channel, values));
    if (binding !== undefined) registry.removeBinding(binding);
    channel.send(queueClass.unbindOk, {});
  }),
  on(queueClass.purge, (channel, { queue: name, noWait }) => {
    const queue = findQueue(channel, name);
    refuseStream(channel, queue, 'queue.purge');
    const messageCount = queue.purge();
    if (!noWait) channel.send(queueClass.purgeOk, { messageCount });
  }),
  on(queueClass.delete, (channel, values) => {
    const messageCount = remove(channel, values);
    if (!values.noWait) channel.send(queueClass.deleteOk, { messageCount });
  }),
];

function findReplyAddress({ connection }: ChannelContext, name: string): void {
  if (connection.broker.replies.find(name) !== undefined) return;
  throw new AmqpError(REPLY.notFound, `no queue '${name}' in vhost '${connection.virtualHost}'`);
}

function declare(channel: ChannelContext, values: Declare): BrokerQueue {
  const { connection } = channel;
  const { registry } = connection.broker;
  const name = values.queue === '' ? `amq.gen-${connection.context.newId()}` : values.queue;
  const known = registry.queues.get(name);
  if (known !== undefined) {
    checkSame(channel, known, values);
    own(connection, known);
    return known;
  }
  const kind = values.arguments.get('x-queue-type');
  if (values.queue === '' && (kind === 'quorum' || kind === 'stream')) {
    throw new AmqpError(
      REPLY.preconditionFailed,
      `Cannot declare a server-named queue for type rabbit_${kind}_queue`,
    );
  }
  if (values.queue.startsWith('amq.')) {
    throw new AmqpError(REPLY.accessRefused, `queue name '${name}' contains reserved prefix 'amq.*'`);
  }
  const queue = registry.addQueue(
    {
      name,
      durable: values.durable,
      autoDelete: values.autoDelete,
      exclusiveTo: values.exclusive ? connection : undefined,
      arguments: values.arguments,
    },
    connection.virtualHost,
  );
  own(connection, queue);
  return queue;
}

function checkSame(channel: ChannelContext, queue: BrokerQueue, wanted: Declare): void {
  const { connection } = channel;
  const { definition } = queue;
  const what = `queue '${queue.name}' in vhost '${connection.virtualHost}'`;
  checkAccess(channel, queue);
  const compare = (name: string, received: boolean, current: boolean): void => {
    if (received !== current) throw inequivalent(name, what, received, current);
  };
  compare('durable', wanted.durable, definition.durable);
  compare('exclusive', wanted.exclusive, definition.exclusiveTo !== undefined);
  compare('auto_delete', wanted.autoDelete, definition.autoDelete);
  compareArguments(what, withType(wanted.arguments), withType(definition.arguments));
}

/** Arguments that name the type of the queue, which may be left out of those of a classic one. */
function withType(table: FieldTable): FieldTable {
  return table.has('x-queue-type') ? table : new Map([...table, ['x-queue-type', 'classic']]);
}

function makeBinding(
  channel: ChannelContext,
  values: ArgumentsFor<typeof queueClass.bind> | ArgumentsFor<typeof queueClass.unbind>,
): Binding {
  const name = resolveQueueName(channel, values.queue);
  const queue = findQueue(channel, name);
  refuseDefault(values.exchange);
  const exchange = findExchange(channel, values.exchange);
  // Without a queue and a key, the name of the queue is the key (AMQP 0-9-1 reference, 1.7.2.3).
  const key = values.queue === '' && values.routingKey === '' ? name : values.routingKey;
  return new Binding(exchange, queue, key, values.arguments);
}

/** @returns how many messages went with it */
function remove(channel: ChannelContext, values: ArgumentsFor<typeof queueClass.delete>): number {
  const { registry } = channel.connection.broker;
  const name = resolveQueueName(channel, values.queue);
  const queue = registry.queues.get(name);
  if (queue === undefined) return 0;
  checkAccess(channel, queue);
  const what = `queue '${name}' in vhost '${channel.connection.virtualHost}'`;
  for (const flag of ['if-empty', 'if-unused'] as const) {
    const isSet = flag === 'if-empty' ? values.ifEmpty : values.ifUnused;
    if (isSet && queue.settings.kind === 'quorum') {
      throw new AmqpError(
        REPLY.notImplemented,
        `cannot delete ${what}. queue.delete operations with ${flag} flag set are not supported by quorum queues`,
      );
    }
  }
  // As in RabbitMQ the two flags mean nothing for streams.
  const isStream = queue.settings.kind === 'stream';
  if (values.ifUnused && !isStream && queue.consumerCount > 0) {
    throw new AmqpError(REPLY.preconditionFailed, `${what} in use`);
  }
  if (values.ifEmpty && !isStream && queue.messageCount > 0) {
    throw new AmqpError(REPLY.preconditionFailed, `${what} not empty`);
  }
  const { messageCount } = queue;
  registry.removeQueue(queue);
  return messageCount;
}
