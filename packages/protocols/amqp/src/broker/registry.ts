import { EMPTY_TABLE } from '../wire/field-table.js';
import type { ExchangeType } from './binding-tables.js';
import type { Binding, Destination } from './binding.js';
import { Exchange, type ExchangeDefinition } from './exchange.js';
import { areSameTables } from './field-equality.js';
import type { Memory } from './memory.js';
import { disown } from './owner.js';
import { Queue } from './queue.js';
import type { QueueDefinition, QueueHost } from './queue-types.js';
import { readQueueArguments } from './queue-arguments.js';

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
  readonly queues = new Map<string, Queue>();
  /** The bindings to a queue or exchange. */
  readonly #incoming = new Map<Destination, Set<Binding>>();
  readonly #host: QueueHost;
  readonly #memory: Memory;

  constructor(host: QueueHost) {
    this.#host = host;
    this.#memory = host.memory;
    for (const [name, type] of PREDECLARED) this.addExchange(standardExchange(name, type));
  }

  addExchange(definition: ExchangeDefinition): Exchange {
    this.#memory.makeRoom();
    const exchange = new Exchange(definition);
    this.exchanges.set(definition.name, exchange);
    return exchange;
  }

  removeExchange(exchange: Exchange): void {
    if (this.exchanges.get(exchange.name) !== exchange) return;
    this.exchanges.delete(exchange.name);
    this.#memory.entities -= 1;
    for (const binding of [...exchange.bindings, ...this.bindingsTo(exchange)]) this.removeBinding(binding);
    disown(exchange);
  }

  /** @throws AmqpError 406 when an argument cannot be */
  addQueue(definition: QueueDefinition, virtualHost: string): Queue {
    const settings = readQueueArguments(
      definition.arguments,
      `queue '${definition.name}' in vhost '${virtualHost}'`,
    );
    this.#memory.makeRoom();
    const queue = new Queue(definition, settings, this.#host);
    this.queues.set(definition.name, queue);
    return queue;
  }

  removeQueue(queue: Queue): void {
    if (this.queues.get(queue.name) !== queue) return;
    this.queues.delete(queue.name);
    this.#memory.entities -= 1;
    for (const binding of this.bindingsTo(queue)) this.removeBinding(binding);
    disown(queue);
    queue.delete();
  }

  bindingsTo(destination: Destination): readonly Binding[] {
    return [...(this.#incoming.get(destination) ?? [])];
  }

  /** All bindings. */
  bindings(): readonly Binding[] {
    return [...this.exchanges.values()].flatMap((exchange) => [...exchange.bindings]);
  }

  /** The binding that is the same, if there is one. */
  findBinding(wanted: Binding): Binding | undefined {
    for (const binding of this.#incoming.get(wanted.destination) ?? []) {
      if (
        binding.source === wanted.source &&
        binding.routingKey === wanted.routingKey &&
        areSameTables(binding.arguments, wanted.arguments)
      ) {
        return binding;
      }
    }
    return undefined;
  }

  /** Adds a binding, or answers the one that is the same. */
  addBinding(wanted: Binding): Binding {
    const known = this.findBinding(wanted);
    if (known !== undefined) return known;
    this.#memory.makeRoom();
    try {
      wanted.source.addBinding(wanted);
    } catch (thrown) {
      this.#memory.entities -= 1;
      throw thrown;
    }
    const incoming = this.#incoming.get(wanted.destination);
    if (incoming === undefined) this.#incoming.set(wanted.destination, new Set([wanted]));
    else incoming.add(wanted);
    return wanted;
  }

  removeBinding(binding: Binding): void {
    const incoming = this.#incoming.get(binding.destination);
    if (incoming?.delete(binding) !== true) return;
    if (incoming.size === 0) this.#incoming.delete(binding.destination);
    const { source } = binding;
    source.removeBinding(binding);
    this.#memory.entities -= 1;
    disown(binding);
    if (source.definition.autoDelete && source.bindings.size === 0) this.removeExchange(source);
  }
}

/** The definition of an exchange that nothing was said about. */
export function standardExchange(name: string, type: ExchangeType): ExchangeDefinition {
  return { name, type, durable: true, autoDelete: false, internal: false, arguments: EMPTY_TABLE };
}
