import { EMPTY_TABLE } from '../wire/field-table.js';
import type { ExchangeType } from './exchange-types.js';
import type { Binding, Destination } from './binding.js';
import { canonicalTable } from './canonical-table.js';
import { Exchange, type ExchangeDefinition } from './exchange.js';
import { sizeOfTable, type Memory } from './memory.js';
import { disown } from './owner.js';
import { Queue } from './queue.js';
import type { BrokerQueue, QueueDefinition, QueueHost } from './queue-types.js';
import { StreamQueue } from './stream-queue.js';
import { checkQueueProperties, readQueueArguments } from './queue-arguments.js';

const PREDECLARED: readonly (readonly [string, ExchangeType])[] = [
  ['', 'direct'],
  ['amq.direct', 'direct'],
  ['amq.fanout', 'fanout'],
  ['amq.topic', 'topic'],
  ['amq.headers', 'headers'],
  ['amq.match', 'headers'],
];

/** The exchanges, queues and bindings that there are. */
export class Registry {
  readonly exchanges = new Map<string, Exchange>();
  readonly queues = new Map<string, BrokerQueue>();
  /** The bindings to a queue or exchange, by what makes each different from the others. */
  readonly #incoming = new Map<Destination, Map<string, Binding>>();
  readonly #host: QueueHost;
  readonly #memory: Memory;

  constructor(host: QueueHost) {
    this.#host = host;
    this.#memory = host.memory;
    for (const [name, type] of PREDECLARED) this.addExchange(standardExchange(name, type));
  }

  /** @throws AmqpError when its type needs an argument that is not there, or there are too many */
  addExchange(definition: ExchangeDefinition): Exchange {
    const exchange = new Exchange(definition, this.#memory);
    this.#memory.makeRoom(sizeOf(definition));
    this.exchanges.set(definition.name, exchange);
    return exchange;
  }

  removeExchange(exchange: Exchange): void {
    if (this.exchanges.get(exchange.name) !== exchange) return;
    this.exchanges.delete(exchange.name);
    exchange.isDeleted = true;
    this.#memory.free(sizeOf(exchange.definition));
    disown(exchange);
    this.#host.jobs.add(this.#removeBindings([...exchange.bindings, ...this.bindingsTo(exchange)]));
  }

  /** @throws AmqpError 406 when an argument cannot be */
  addQueue(definition: QueueDefinition, virtualHost: string): BrokerQueue {
    const where = `queue '${definition.name}' in vhost '${virtualHost}'`;
    const settings = readQueueArguments(definition.arguments, where);
    checkQueueProperties(settings, definition, where);
    this.#memory.makeRoom(sizeOf(definition));
    const queue =
      settings.kind === 'stream'
        ? new StreamQueue(definition, settings, this.#host)
        : new Queue(definition, settings, this.#host);
    this.queues.set(definition.name, queue);
    return queue;
  }

  removeQueue(queue: BrokerQueue): void {
    if (this.queues.get(queue.name) !== queue) return;
    this.queues.delete(queue.name);
    this.#memory.free(sizeOf(queue.definition));
    disown(queue);
    queue.delete();
    const bindings = this.bindingsTo(queue);
    if (bindings.length > 0) this.#host.jobs.add(this.#removeBindings(bindings));
  }

  bindingsTo(destination: Destination): readonly Binding[] {
    return [...(this.#incoming.get(destination)?.values() ?? [])];
  }

  /** All bindings. */
  bindings(): readonly Binding[] {
    return [...this.exchanges.values()].flatMap((exchange) =>
      [...exchange.bindings].filter(({ destination }) => !destination.isDeleted),
    );
  }

  /** The binding that is the same, if there is one. */
  findBinding(wanted: Binding): Binding | undefined {
    const known = this.#incoming.get(wanted.destination)?.get(keyOf(wanted));
    // One of an exchange that is gone may still be there, on its way out.
    return known?.source === wanted.source ? known : undefined;
  }

  /** Adds a binding, or answers the one that is the same. */
  addBinding(wanted: Binding): Binding {
    const known = this.findBinding(wanted);
    if (known !== undefined) return known;
    const size = sizeOfBinding(wanted);
    this.#memory.makeRoom(size);
    try {
      wanted.source.addBinding(wanted);
    } catch (thrown) {
      this.#memory.free(size);
      throw thrown;
    }
    const incoming = this.#incoming.get(wanted.destination);
    if (incoming === undefined) this.#incoming.set(wanted.destination, new Map([[keyOf(wanted), wanted]]));
    else incoming.set(keyOf(wanted), wanted);
    return wanted;
  }

  removeBinding(binding: Binding): void {
    const { source, destination } = binding;
    if (!source.bindings.has(binding)) return;
    const incoming = this.#incoming.get(destination);
    const key = keyOf(binding);
    if (incoming?.get(key) === binding) incoming.delete(key);
    if (incoming?.size === 0) this.#incoming.delete(destination);
    source.removeBinding(binding);
    this.#memory.free(sizeOfBinding(binding));
    disown(binding);
    if (source.definition.autoDelete && source.bindings.size === 0) this.removeExchange(source);
  }

  *#removeBindings(bindings: readonly Binding[]): Generator {
    for (const binding of bindings) {
      this.removeBinding(binding);
      yield;
    }
  }
}

/** The definition of an exchange that nothing was said about. */
export function standardExchange(name: string, type: ExchangeType): ExchangeDefinition {
  return { name, type, durable: true, autoDelete: false, internal: false, arguments: EMPTY_TABLE };
}

/** What makes a binding different from others to the same destination. */
function keyOf({ source, routingKey, arguments: table }: Binding): string {
  return JSON.stringify([source.name, routingKey ?? null, canonicalTable(table)]);
}

function sizeOf({ name, arguments: table }: ExchangeDefinition | QueueDefinition): number {
  return name.length + sizeOfTable(table);
}

function sizeOfBinding({ routingKey = '', arguments: table }: Binding): number {
  return 2 * (routingKey.length + sizeOfTable(table));
}
