import { checkAt, invalid, type Clock } from '@backlot/core/plugin';
import { EMPTY_TABLE } from '../wire/field-table.js';
import { tableFromJson } from '../wire/field-json.js';
import type { AmqpConfig } from '../shape.js';
import { Binding } from './binding.js';
import { Broker } from './broker.js';
import { standardExchange } from './registry.js';

/** For error texts; the configuration is the same for all virtual hosts. */
const VIRTUAL_HOST = '/';

/**
 * Makes the exchanges, queues and bindings of the configuration. What a binding names and nothing declares is made
 * with its defaults.
 *
 * @throws AmqpError when one of them cannot be
 */
export function declareConfigured(broker: Broker, config: AmqpConfig): void {
  const { registry } = broker;
  for (const each of config.exchanges ?? []) {
    registry.addExchange({
      ...standardExchange(each.name, each.type ?? 'direct'),
      durable: each.durable ?? true,
      autoDelete: each.auto_delete ?? false,
      internal: each.internal ?? false,
      arguments: tableOf(each.arguments),
    });
  }
  for (const each of config.queues ?? []) {
    const settings = {
      durable: each.durable ?? true,
      autoDelete: each.auto_delete ?? false,
      table: tableOf(each.arguments),
    };
    addQueue(broker, each.name, settings);
  }
  for (const each of config.bindings ?? []) {
    const key = each.routing_key ?? each.routing_key_pattern;
    const source =
      registry.exchanges.get(each.exchange) ??
      registry.addExchange(standardExchange(each.exchange, 'direct'));
    const destination =
      each.queue === undefined
        ? (registry.exchanges.get(each.to_exchange ?? '') ??
          registry.addExchange(standardExchange(each.to_exchange ?? '', 'direct')))
        : (registry.queues.get(each.queue) ?? addQueue(broker, each.queue));
    registry.addBinding(new Binding(source, destination, key, tableOf(each.arguments)));
  }
}

function addQueue(
  { registry }: Broker,
  name: string,
  { durable = true, autoDelete = false, table = EMPTY_TABLE } = {},
): ReturnType<typeof registry.addQueue> {
  return registry.addQueue(
    { name, durable, autoDelete, exclusiveTo: undefined, arguments: table },
    VIRTUAL_HOST,
  );
}

function tableOf(json: object | undefined): typeof EMPTY_TABLE {
  return json === undefined ? EMPTY_TABLE : tableFromJson(json);
}

/** Virtual time that stands still: checking needs none. */
const NO_CLOCK: Clock = { now: () => 0, after: () => ({ cancel: () => undefined }) };

/**
 * Checks what the schema of the configuration cannot.
 *
 * @throws BacklotError `invalid`
 */
export function checkConfigured(config: AmqpConfig): void {
  checkNames('exchanges', config.exchanges ?? []);
  checkNames('queues', config.queues ?? []);
  (config.bindings ?? []).forEach((binding, index) =>
    checkAt(`/bindings/${index}`, () => {
      if ((binding.queue === undefined) === (binding.to_exchange === undefined)) {
        throw invalid('a binding leads to a `queue` or `to_exchange`: give one of the two');
      }
      if (binding.routing_key !== undefined && binding.routing_key_pattern !== undefined) {
        throw invalid('`routing_key` and `routing_key_pattern` are the same: give one of the two');
      }
    }),
  );
  checkAt('', () => declareConfigured(new Broker(NO_CLOCK, rethrow), config));
}

function checkNames(list: string, items: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  items.forEach(({ name }, index) =>
    checkAt(`/${list}/${index}/name`, () => {
      if (seen.has(name)) throw invalid(`"${name}" is there twice; names must differ`);
      if (name.startsWith('amq.')) throw invalid(`"${name}" begins with "amq.", which is reserved`);
      seen.add(name);
    }),
  );
}

function rethrow(error: unknown): never {
  throw error;
}
