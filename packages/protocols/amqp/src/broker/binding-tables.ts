import { messageOf } from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit';
import { AmqpError } from '../wire/amqp-error.js';
import type { FieldTable } from '../wire/field-table.js';
import { REPLY } from '../wire/reply-codes.js';
import type { Binding } from './binding.js';
import { areSameFields } from './field-equality.js';
import { ROUTING_KEYS } from './routing-keys.js';

/** The bindings of one exchange, and which of them a message follows. */
export interface BindingTable {
  add(binding: Binding): void;
  remove(binding: Binding): void;
  match(routingKey: string, headers: FieldTable | undefined): Iterable<Binding>;
}

/** The types of exchanges. */
export const EXCHANGE_TYPES = ['direct', 'fanout', 'topic', 'headers'] as const;
export type ExchangeType = (typeof EXCHANGE_TYPES)[number];

const NONE: readonly Binding[] = [];

/** Makes the table of an exchange. */
export function makeBindingTable(type: ExchangeType): BindingTable {
  switch (type) {
    case 'direct':
      return new DirectTable();
    case 'fanout':
      return new FanoutTable();
    case 'topic':
      return new TopicTable();
    case 'headers':
      return new HeadersTable();
  }
}

class DirectTable implements BindingTable {
  readonly #byKey = new Map<string, Set<Binding>>();
  readonly #always = new Set<Binding>();

  add(binding: Binding): void {
    const { routingKey } = binding;
    if (routingKey === undefined) {
      this.#always.add(binding);
      return;
    }
    const known = this.#byKey.get(routingKey);
    if (known === undefined) this.#byKey.set(routingKey, new Set([binding]));
    else known.add(binding);
  }

  remove(binding: Binding): void {
    const { routingKey } = binding;
    this.#always.delete(binding);
    if (routingKey === undefined) return;
    const known = this.#byKey.get(routingKey);
    known?.delete(binding);
    if (known?.size === 0) this.#byKey.delete(routingKey);
  }

  match(routingKey: string): Iterable<Binding> {
    const found = this.#byKey.get(routingKey) ?? NONE;
    return this.#always.size === 0 ? found : [...found, ...this.#always];
  }
}

class FanoutTable implements BindingTable {
  readonly #bindings = new Set<Binding>();

  add(binding: Binding): void {
    this.#bindings.add(binding);
  }

  remove(binding: Binding): void {
    this.#bindings.delete(binding);
  }

  match(): Iterable<Binding> {
    return this.#bindings;
  }
}

class TopicTable implements BindingTable {
  readonly #index = new WildcardIndex<Binding>(ROUTING_KEYS);

  add(binding: Binding): void {
    try {
      this.#index.add(binding.routingKey ?? '#', binding);
    } catch (thrown) {
      throw new AmqpError(REPLY.preconditionFailed, `invalid binding key: ${messageOf(thrown)}`);
    }
  }

  remove(binding: Binding): void {
    this.#index.remove(binding.routingKey ?? '#', binding);
  }

  match(routingKey: string): Iterable<Binding> {
    return this.#index.match(routingKey);
  }
}

class HeadersTable implements BindingTable {
  readonly #bindings = new Set<Binding>();

  add(binding: Binding): void {
    const how = binding.arguments.get('x-match') ?? 'all';
    if (how !== 'all' && how !== 'any' && how !== 'all-with-x' && how !== 'any-with-x') {
      throw new AmqpError(
        REPLY.preconditionFailed,
        `invalid x-match field value; expected all, any, all-with-x, or any-with-x`,
      );
    }
    this.#bindings.add(binding);
  }

  remove(binding: Binding): void {
    this.#bindings.delete(binding);
  }

  match(_routingKey: string, headers: FieldTable | undefined): Iterable<Binding> {
    return [...this.#bindings].filter((binding) => fits(binding.arguments, headers));
  }
}

function fits(wanted: FieldTable, headers: FieldTable | undefined): boolean {
  const match = wanted.get('x-match');
  const how = typeof match === 'string' ? match : 'all';
  const names = [...wanted.keys()].filter(
    (name) => name !== 'x-match' && (how.endsWith('-with-x') || !name.startsWith('x-')),
  );
  const isThere = (name: string): boolean => {
    if (headers?.has(name) !== true) return false;
    // A header without a value asks only that there is one.
    const value = wanted.get(name);
    return value === null || areSameFields(value, headers.get(name));
  };
  return how.startsWith('any') ? names.some(isThere) : names.every(isThere);
}
