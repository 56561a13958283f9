import { Binding } from '../../broker/binding.js';
import { readExchangeType } from '../../broker/exchange-types.js';
import type { Exchange, ExchangeDefinition } from '../../broker/exchange.js';
import { areSameFields } from '../../broker/field-equality.js';
import { own } from '../../broker/owner.js';
import { AmqpError } from '../../wire/amqp-error.js';
import { exchange as exchangeClass } from '../../wire/classes/exchange.js';
import type { FieldTable } from '../../wire/field-table.js';
import type { ArgumentsFor } from '../../wire/method.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { ChannelContext } from '../channel-context.js';
import { findExchange, inequivalent } from './find.js';
import { on, type Handler } from './handler.js';

type Declare = ArgumentsFor<typeof exchangeClass.declare>;

/** Class exchange (AMQP 0-9-1 reference, 1.6). */
export const EXCHANGE_HANDLERS: readonly Handler[] = [
  on(exchangeClass.declare, (channel, values) => {
    if (values.passive) findExchange(channel, values.exchange);
    else declare(channel, values);
    if (!values.noWait) channel.send(exchangeClass.declareOk, {});
  }),
  on(exchangeClass.delete, (channel, { exchange: name, ifUnused, noWait }) => {
    remove(channel, name, ifUnused);
    if (!noWait) channel.send(exchangeClass.deleteOk, {});
  }),
  on(exchangeClass.bind, (channel, values) => {
    const binding = makeBinding(channel, values);
    own(channel.connection, channel.connection.broker.registry.addBinding(binding));
    if (!values.noWait) channel.send(exchangeClass.bindOk, {});
  }),
  on(exchangeClass.unbind, (channel, values) => {
    const { registry } = channel.connection.broker;
    const binding = registry.findBinding(makeBinding(channel, values));
    if (binding !== undefined) registry.removeBinding(binding);
    if (!values.noWait) channel.send(exchangeClass.unbindOk, {});
  }),
];

/** @throws AmqpError 403 for the default exchange */
export function refuseDefault(name: string): void {
  if (name === '')
    throw new AmqpError(REPLY.accessRefused, 'operation not permitted on the default exchange');
}

function declare(channel: ChannelContext, values: Declare): void {
  const { connection } = channel;
  const { registry } = connection.broker;
  const { exchange: name, durable, autoDelete, internal } = values;
  refuseDefault(name);
  const type = readExchangeType(values.type);
  const definition = { name, type, durable, autoDelete, internal, arguments: values.arguments };
  const known = registry.exchanges.get(name);
  if (known !== undefined) checkSame(known, definition, connection.virtualHost);
  else if (name.startsWith('amq.')) {
    throw new AmqpError(REPLY.accessRefused, `exchange name '${name}' contains reserved prefix 'amq.*'`);
  }
  own(connection, known ?? registry.addExchange(definition));
}

function checkSame({ definition: current }: Exchange, wanted: ExchangeDefinition, virtualHost: string): void {
  const what = `exchange '${wanted.name}' in vhost '${virtualHost}'`;
  const compare = (name: string, received: string | boolean, there: string | boolean): void => {
    if (received !== there) throw inequivalent(name, what, received, there);
  };
  compare('type', wanted.type, current.type);
  compare('durable', wanted.durable, current.durable);
  compare('auto_delete', wanted.autoDelete, current.autoDelete);
  compare('internal', wanted.internal, current.internal);
  compareArguments(what, wanted.arguments, current.arguments);
}

/** @throws AmqpError 406 when one of the arguments differs */
export function compareArguments(what: string, wanted: FieldTable, current: FieldTable): void {
  for (const name of new Set([...wanted.keys(), ...current.keys()])) {
    const received = wanted.get(name);
    const there = current.get(name);
    if (!areSameFields(received, there)) throw inequivalent(name, what, received, there);
  }
}

function remove(channel: ChannelContext, name: string, ifUnused: boolean): void {
  const { connection } = channel;
  const { registry } = connection.broker;
  refuseDefault(name);
  if (name.startsWith('amq.')) {
    throw new AmqpError(REPLY.accessRefused, `exchange name '${name}' contains reserved prefix 'amq.*'`);
  }
  const exchange = registry.exchanges.get(name);
  if (exchange === undefined) return;
  if (ifUnused && exchange.bindings.size > 0) {
    throw new AmqpError(
      REPLY.preconditionFailed,
      `exchange '${name}' in vhost '${connection.virtualHost}' in use`,
    );
  }
  registry.removeExchange(exchange);
}

function makeBinding(
  channel: ChannelContext,
  values: ArgumentsFor<typeof exchangeClass.bind> | ArgumentsFor<typeof exchangeClass.unbind>,
): Binding {
  refuseDefault(values.source);
  refuseDefault(values.destination);
  const source = findExchange(channel, values.source);
  const destination = findExchange(channel, values.destination);
  return new Binding(source, destination, values.routingKey, values.arguments);
}
