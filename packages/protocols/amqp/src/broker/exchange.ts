import type { FieldTable } from '../wire/field-table.js';
import type { BindingTable } from './binding-table.js';
import { makeBindingTable, type ExchangeType } from './binding-tables.js';
import type { Binding } from './binding.js';
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

  constructor(definition: ExchangeDefinition, memory: Memory) {
    this.definition = definition;
    this.#table = makeBindingTable(definition.type, memory);
  }

  get name(): string {
    return this.definition.name;
  }

  /** The exchange that gets what no binding takes. */
  get alternate(): string | undefined {
    const name = this.definition.arguments.get('alternate-exchange');
    return typeof name === 'string' ? name : undefined;
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
