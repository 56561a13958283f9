import type { FieldTable } from '../wire/field-table.js';
import { Binding, type Destination } from './binding.js';
import type { Broker } from './broker.js';
import type { SavedDelayed } from './delayed-messages.js';
import { Exchange, type ExchangeDefinition } from './exchange.js';
import { areSameTables } from './field-equality.js';
import type { BrokerQueue, QueueDefinition, SavedMessages } from './queue-types.js';

/** A queue with its messages. */
export interface SavedQueue {
  readonly definition: QueueDefinition;
  readonly content: SavedMessages;
}

interface SavedBinding {
  readonly source: string;
  readonly destination: string;
  readonly isToExchange: boolean;
  readonly routingKey: string | undefined;
  readonly arguments: FieldTable;
}

/** All that the broker holds, as data that never changes. Queues of one connection alone are left out. */
export interface BrokerSnapshot {
  readonly exchanges: readonly ExchangeDefinition[];
  readonly queues: readonly SavedQueue[];
  readonly bindings: readonly SavedBinding[];
  readonly delayed: readonly SavedDelayed[];
}

/** Takes a snapshot. Messages that were handed out and not acknowledged are in it as if they were waiting. */
export function takeSnapshot({ registry, delayed }: Broker): BrokerSnapshot {
  const queues = [...registry.queues.values()].filter(
    ({ definition }) => definition.exclusiveTo === undefined,
  );
  const isSaved = (destination: Destination): boolean =>
    destination instanceof Exchange || destination.definition.exclusiveTo === undefined;
  return {
    exchanges: [...registry.exchanges.values()].map((exchange) => exchange.definition),
    queues: queues.map((queue) => ({ definition: queue.definition, content: queue.save() })),
    bindings: registry
      .bindings()
      .filter(({ destination }) => isSaved(destination))
      .map(savedForm),
    delayed: delayed.save(),
  };
}

/**
 * Puts a snapshot back. Clients stay connected, so what an open connection has declared or consumes from stays as well,
 * without its messages; all else that is not in the snapshot goes.
 */
export function restoreSnapshot(broker: Broker, snapshot: BrokerSnapshot): void {
  const { registry } = broker;
  for (const queue of registry.queues.values()) queue.clear();
  broker.delayed.clear();
  dropWhatIsNotThere(broker, snapshot);
  for (const definition of snapshot.exchanges) {
    if (!registry.exchanges.has(definition.name)) registry.addExchange(definition);
  }
  for (const { definition } of snapshot.queues) {
    if (!registry.queues.has(definition.name)) registry.addQueue(definition, '/');
  }
  for (const saved of snapshot.bindings) {
    const binding = findEnds(broker, saved);
    if (binding !== undefined) registry.addBinding(binding);
  }
  for (const { definition, content } of snapshot.queues) {
    registry.queues.get(definition.name)?.restore(content);
  }
  for (const { exchange, message, left } of snapshot.delayed) {
    const source = registry.exchanges.get(exchange);
    if (source !== undefined) broker.delayed.add(source, message, left);
  }
}

function dropWhatIsNotThere({ registry }: Broker, snapshot: BrokerSnapshot): void {
  const exchanges = new Map(snapshot.exchanges.map((each) => [each.name, each]));
  const queues = new Map(snapshot.queues.map(({ definition }) => [definition.name, definition]));
  const bindings = new Set(snapshot.bindings.map(keyOf));
  for (const binding of registry.bindings()) {
    if (binding.owners.size === 0 && !bindings.has(keyOf(savedForm(binding))))
      registry.removeBinding(binding);
  }
  for (const queue of [...registry.queues.values()]) {
    const wanted = queues.get(queue.name);
    if (wanted === undefined ? !isInUse(queue) : !isSameQueue(queue.definition, wanted)) {
      registry.removeQueue(queue);
    }
  }
  for (const exchange of [...registry.exchanges.values()]) {
    const wanted = exchanges.get(exchange.name);
    if (wanted === undefined ? exchange.owners.size === 0 : !isSameExchange(exchange.definition, wanted)) {
      registry.removeExchange(exchange);
    }
  }
}

function isInUse(queue: BrokerQueue): boolean {
  return queue.owners.size > 0 || queue.consumerCount > 0;
}

function isSameQueue(a: QueueDefinition, b: QueueDefinition): boolean {
  return (
    a.durable === b.durable &&
    a.autoDelete === b.autoDelete &&
    a.exclusiveTo === b.exclusiveTo &&
    areSameTables(a.arguments, b.arguments)
  );
}

function isSameExchange(a: ExchangeDefinition, b: ExchangeDefinition): boolean {
  return (
    a.type === b.type &&
    a.durable === b.durable &&
    a.autoDelete === b.autoDelete &&
    a.internal === b.internal &&
    areSameTables(a.arguments, b.arguments)
  );
}

function savedForm({ source, destination, routingKey, arguments: table }: Binding): SavedBinding {
  return {
    source: source.name,
    destination: destination.name,
    isToExchange: destination instanceof Exchange,
    routingKey,
    arguments: table,
  };
}

function keyOf({ source, destination, isToExchange, routingKey }: SavedBinding): string {
  return JSON.stringify([source, destination, isToExchange, routingKey]);
}

function findEnds({ registry }: Broker, saved: SavedBinding): Binding | undefined {
  const source = registry.exchanges.get(saved.source);
  const destination = saved.isToExchange
    ? registry.exchanges.get(saved.destination)
    : registry.queues.get(saved.destination);
  if (source === undefined || destination === undefined) return undefined;
  return new Binding(source, destination, saved.routingKey, saved.arguments);
}
