import {
  BacklotError,
  checkAt,
  invalid,
  mapSection,
  type DataSection,
  type Json,
} from '@backlot/core/plugin';
import { Binding } from '../broker/binding.js';
import type { Broker } from '../broker/broker.js';
import { canonicalTable } from '../broker/canonical-table.js';
import type { BrokerQueue } from '../broker/queue-types.js';
import { tableFromJson, tableToJson } from '../wire/field-json.js';
import { EMPTY_TABLE } from '../wire/field-table.js';
import { MAX_BINDINGS_SHOWN } from './declaration.js';

interface GivenQueue {
  readonly name: string;
  readonly durable?: boolean;
  readonly auto_delete?: boolean;
  readonly arguments?: object;
  readonly bindings?: readonly { readonly exchange: string; readonly routing_key?: string }[];
}

/** The queues of the broker, for people. */
export function queueSection({ registry }: Broker): DataSection {
  return mapSection(
    () => registry.queues,
    (queue) => showQueue(queue, registry.bindingsTo(queue)),
    {
      put(given) {
        const {
          name,
          durable = true,
          auto_delete: autoDelete = false,
          ...rest
        } = given as unknown as GivenQueue;
        if (name.startsWith('amq.')) throw reserved(name);
        const sources = (rest.bindings ?? []).map(({ exchange, routing_key: key = '' }, index) => {
          const source = registry.exchanges.get(exchange);
          if (source !== undefined && exchange !== '') return { source, key };
          const message = `there is no exchange ${JSON.stringify(exchange)} that queues are bound to`;
          throw invalid(message, [{ path: `/bindings/${index}/exchange`, message }]);
        });
        const table = rest.arguments === undefined ? EMPTY_TABLE : tableFromJson(rest.arguments);
        const known = registry.queues.get(name);
        if (known !== undefined && !isAlike(known, durable, autoDelete, canonicalTable(table))) {
          throw new BacklotError(
            'conflict',
            `queue "${name}" is there and was declared in another way; remove it first`,
          );
        }
        checkAt('', () => {
          const definition = { name, durable, autoDelete, exclusiveTo: undefined, arguments: table };
          const queue = known ?? registry.addQueue(definition, '/');
          for (const { source, key } of sources) {
            registry.addBinding(new Binding(source, queue, key, EMPTY_TABLE));
          }
        });
        return name;
      },
      remove(name) {
        const queue = registry.queues.get(name);
        if (queue !== undefined) registry.removeQueue(queue);
      },
    },
  );
}

function isAlike(
  { definition }: BrokerQueue,
  durable: boolean,
  autoDelete: boolean,
  table: unknown,
): boolean {
  return (
    definition.durable === durable &&
    definition.autoDelete === autoDelete &&
    definition.exclusiveTo === undefined &&
    JSON.stringify(canonicalTable(definition.arguments)) === JSON.stringify(table)
  );
}

function showQueue(queue: BrokerQueue, bindings: readonly Binding[]): Json {
  const { definition, settings } = queue;
  return {
    name: queue.name,
    type: settings.kind,
    durable: definition.durable,
    auto_delete: definition.autoDelete,
    exclusive: definition.exclusiveTo !== undefined,
    arguments: tableToJson(definition.arguments),
    messages: queue.messageCount,
    unacknowledged: queue.unsettledCount,
    consumers: queue.consumerCount,
    bindings: bindings.slice(0, MAX_BINDINGS_SHOWN).map(({ source, routingKey }) => ({
      exchange: source.name,
      ...(routingKey === undefined ? {} : { routing_key: routingKey }),
    })),
  };
}

function reserved(name: string): Error {
  const message = `"${name}" begins with "amq.", which is reserved`;
  return invalid(message, [{ path: '/name', message }]);
}
