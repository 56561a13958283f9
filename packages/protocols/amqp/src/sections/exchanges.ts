import {
  BacklotError,
  checkAt,
  invalid,
  type DataEntry,
  type DataSection,
  type Json,
} from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';
import { canonicalTable } from '../broker/canonical-table.js';
import type { ExchangeType } from '../broker/exchange-types.js';
import { Exchange } from '../broker/exchange.js';
import { standardExchange, type Registry } from '../broker/registry.js';
import { tableFromJson, tableToJson } from '../wire/field-json.js';
import { EMPTY_TABLE } from '../wire/field-table.js';
import { MAX_BINDINGS_SHOWN } from './declaration.js';

interface GivenExchange {
  readonly name: string;
  readonly type?: ExchangeType;
  readonly durable?: boolean;
  readonly auto_delete?: boolean;
  readonly internal?: boolean;
  readonly arguments?: object;
}

/** The exchanges of the broker but the default one, for people. */
export class ExchangeSection implements DataSection {
  readonly #registry: Registry;

  constructor({ registry }: Broker) {
    this.#registry = registry;
  }

  get size(): number {
    return this.#registry.exchanges.size - 1;
  }

  *entries(): Generator<DataEntry> {
    for (const name of this.#registry.exchanges.keys()) if (name !== '') yield this.#entry(name);
  }

  find(name: string): DataEntry | undefined {
    return name === '' || !this.#registry.exchanges.has(name) ? undefined : this.#entry(name);
  }

  put(given: Json): string {
    const { name, type = 'direct', ...rest } = given as unknown as GivenExchange;
    const { durable = true, auto_delete: autoDelete = false, internal = false } = rest;
    if (name.startsWith('amq.')) {
      const message = `"${name}" begins with "amq.", which is reserved`;
      throw invalid(message, [{ path: '/name', message }]);
    }
    const table = rest.arguments === undefined ? EMPTY_TABLE : tableFromJson(rest.arguments);
    const definition = { ...standardExchange(name, type), durable, autoDelete, internal, arguments: table };
    const known = this.#registry.exchanges.get(name);
    if (known === undefined) checkAt('', () => this.#registry.addExchange(definition));
    else if (keyOf(known.definition) !== keyOf(definition)) {
      throw new BacklotError(
        'conflict',
        `exchange "${name}" is there and was declared in another way; remove it first`,
      );
    }
    return name;
  }

  remove(name: string): void {
    const exchange = this.#registry.exchanges.get(name);
    if (exchange === undefined) return;
    if (name.startsWith('amq.'))
      throw new BacklotError('conflict', `exchange "${name}" belongs to the broker`);
    this.#registry.removeExchange(exchange);
  }

  #entry(name: string): DataEntry {
    return {
      id: name,
      read: () => {
        const exchange = this.#registry.exchanges.get(name);
        return exchange === undefined ? undefined : showExchange(exchange);
      },
    };
  }
}

function keyOf(definition: Exchange['definition']): string {
  return JSON.stringify([definition, canonicalTable(definition.arguments)]);
}

function showExchange({ definition, bindings }: Exchange): Json {
  return {
    name: definition.name,
    type: definition.type,
    durable: definition.durable,
    auto_delete: definition.autoDelete,
    internal: definition.internal,
    arguments: tableToJson(definition.arguments),
    bindings: Array.from(firstOf(bindings), ({ destination, routingKey }) => ({
      ...(destination instanceof Exchange ? { to_exchange: destination.name } : { queue: destination.name }),
      ...(routingKey === undefined ? {} : { routing_key: routingKey }),
    })),
  };
}

function* firstOf<T>(values: Iterable<T>): Generator<T> {
  let left = MAX_BINDINGS_SHOWN;
  for (const value of values) {
    if (left === 0) return;
    yield value;
    left -= 1;
  }
}
