import type { FieldTable } from '../wire/field-table.js';
import type { BindingTable } from './binding-table.js';
import { makeBindingTable } from './binding-tables.js';
import { DELAYED, tableTypeOf, type ExchangeType } from './exchange-types.js';
import type { Binding } from './binding.js';
import { delayOf } from './delayed-messages.js';
import type { Memory } from './memory.js';
import type { Owned, Owner } from './owner.js';

/** How an exchange was declared. */
export interface ExchangeDefinition {
  readonly name: string;
  readonly type: ExchangeType;
  readonly durable: boolean;
  readonly autoDelete: boolean;
  readonly internal: boolean;
  readonly arguments: FieldTable;
}

/** An exchange: sends messages on along its bindings. */
export class Exchange implements Owned {
  readonly owners = new Set<Owner>();
  readonly definition: ExchangeDefinition;
  /** The bindings from it. */
  readonly bindings = new Set<Binding>();
  readonly #table: BindingTable<Binding>;
  /** Whether it was removed; its bindings may still be on their way out. */
  isDeleted = false;

  /** @throws AmqpError when its type needs an argument that is not there */
  constructor(definition: ExchangeDefinition, memory: Memory) {
    this.definition = definition;
    this.#table = makeBindingTable(tableTypeOf(definition.type, definition.arguments), memory);
  }

  get name(): string {
    return this.definition.name;
  }

  /** The exchange that gets what no binding takes. */
  get alternate(): string | undefined {
    const name = this.definition.arguments.get('alternate-exchange');
    return typeof name === 'string' ? name : undefined;
  }

  /** How long it holds a message with such headers back, in ms; 0 is not at all. */
  delayOf(headers: FieldTable | undefined): number {
    return this.definition.type === DELAYED ? delayOf(headers) : 0;
  }

  /** @throws AmqpError when the binding is not one for this type */
  addBinding(binding: Binding): void {
    this.#table.add(binding);
    this.bindings.add(binding);
  }

  removeBinding(binding: Binding): void {
    this.#table.remove(binding);
    this.bindings.delete(binding);
  }

  /** Whether finding or following the bindings of a message may take long. */
  isCostly(routingKey: string): boolean {
    return this.#table.isCostly(routingKey);
  }

  /** {@link match} in steps. */
  matchInSteps(routingKey: string, headers: FieldTable | undefined): Iterator<undefined, Iterable<Binding>> {
    return this.#table.matchInSteps(routingKey, headers);
  }

  /** The bindings that a message follows. */
  match(routingKey: string, headers: FieldTable | undefined): Iterable<Binding> {
    return this.#table.match(routingKey, headers);
  }
}
