import { invalid, type Imported, type Importer, type ImportNotes, type Json } from '@backlot/core/plugin';
import { QUEUE_KINDS } from '../broker/queue-kinds.js';

/** What is taken of each vhost: this broker has one. */
const MOST = 10_000;
const TYPES: readonly unknown[] = ['direct', 'fanout', 'topic', 'headers', 'x-delayed-message'];

/** `definitions.json` of RabbitMQ: exchanges, queues and bindings. */
const rabbitmq: Importer = {
  format: 'rabbitmq',
  title: 'RabbitMQ definitions',
  detect: ({ tree }) =>
    isJson(tree) &&
    Array.isArray(tree['queues']) &&
    Array.isArray(tree['bindings']) &&
    Array.isArray(tree['exchanges'])
      ? 'sure'
      : undefined,
  *convert({ tree }, notes): Generator<undefined, Imported, undefined> {
    if (!isJson(tree)) throw invalid('definitions of RabbitMQ are an object');
    const exchanges = new Map<string, Json>();
    for (const [index, one] of listOf(tree['exchanges']).entries()) {
      yield;
      const name = nameOf(one['name']);
      if (name === undefined || exchanges.has(name)) noteDouble(notes, `/exchanges/${index}`, name);
      else if (!TYPES.includes(one['type']))
        notes.refused(
          `/exchanges/${index}`,
          `an exchange of the type ${String(one['type']).slice(0, 40)} is left out`,
        );
      else
        exchanges.set(name, {
          name,
          type: one['type'],
          ...flags(one, ['durable', 'auto_delete', 'internal']),
          ...argumentsOf(one, notes, `/exchanges/${index}`),
        });
    }
    const queues = new Map<string, Json>();
    for (const [index, one] of listOf(tree['queues']).entries()) {
      yield;
      const name = nameOf(one['name']);
      if (name === undefined || queues.has(name)) noteDouble(notes, `/queues/${index}`, name);
      else
        queues.set(name, {
          name,
          ...flags(one, ['durable', 'auto_delete']),
          ...argumentsOf(one, notes, `/queues/${index}`),
        });
    }
    const bindings: Json[] = [];
    const bound = new Map<string, Json[]>();
    for (const [index, one] of listOf(tree['bindings']).entries()) {
      yield;
      const exchange = nameOf(one['source']);
      const to = nameOf(one['destination']);
      const key = typeof one['routing_key'] === 'string' ? one['routing_key'].slice(0, 255) : '';
      if (
        exchange === undefined ||
        to === undefined ||
        (!exchanges.has(exchange) && !exchange.startsWith('amq.'))
      ) {
        notes.refused(`/bindings/${index}`, 'a binding of an exchange that there is not is left out');
        continue;
      }
      const isToExchange = one['destination_type'] === 'exchange';
      if (isToExchange ? !exchanges.has(to) : !queues.has(to)) {
        notes.refused(`/bindings/${index}`, 'a binding to what there is not is left out');
        continue;
      }
      const given = argumentsOf(one, notes, `/bindings/${index}`);
      if (isToExchange || given['arguments'] !== undefined)
        notes.approximated(
          `/bindings/${index}`,
          'a binding to an exchange, or with arguments, is taken from a configuration; a server that runs takes bindings of queues by their keys alone',
        );
      bindings.push({
        exchange,
        ...(isToExchange ? { to_exchange: to } : { queue: to }),
        routing_key: key,
        ...given,
      });
      if (!isToExchange)
        bound.set(to, [...(bound.get(to) ?? []).slice(0, 999), { exchange, routing_key: key }]);
    }
    if (listOf(tree['users']).length > 0)
      notes.refused('/users', 'users are left out: their passwords are hashes');
    if (listOf(tree['policies']).length > 0) notes.refused('/policies', 'policies are left out');
    if (
      new Set([...listOf(tree['queues']), ...listOf(tree['exchanges'])].map((one) => one['vhost'])).size > 1
    )
      notes.approximated('/vhosts', 'what stands in several vhosts comes into one');
    if (exchanges.size + queues.size === 0)
      throw invalid('the definitions have neither exchanges nor queues');
    return {
      protocols: { amqp: { exchanges: [...exchanges.values()], queues: [...queues.values()], bindings } },
      data: {
        amqp: {
          exchanges: { section: 'exchanges', entries: [...exchanges.values()] },
          queues: {
            section: 'queues',
            entries: Array.from(queues.values(), (queue) => {
              const own = bound.get(queue['name'] as string);
              return own === undefined ? queue : { ...queue, bindings: own };
            }),
          },
          // A running server takes bindings with their queues.
          bindings: { section: 'queues', entries: [] },
        },
      },
    };
  },
};

function flags(one: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.filter((name) => typeof one[name] === 'boolean').map((name) => [name, one[name]]),
  );
}

function argumentsOf(one: Json, notes: ImportNotes, place: string): Json {
  const given = isJson(one['arguments']) ? one['arguments'] : {};
  const kept = Object.entries(given).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  if (kept.length < Object.keys(given).length)
    notes.refused(place, 'arguments that are lists or objects are left out');
  const kind = given['x-queue-type'];
  const isKnown = QUEUE_KINDS.some((known) => known === kind);
  if (kind !== undefined && !isKnown)
    notes.approximated(
      place,
      `a queue of the type ${JSON.stringify(kind).slice(0, 40)} is a classic one here`,
    );
  const rest = kept.filter(([name]) => name !== 'x-queue-type' || isKnown);
  return rest.length === 0 ? {} : { arguments: Object.fromEntries(rest) };
}

function noteDouble(notes: ImportNotes, place: string, name: string | undefined): void {
  notes.refused(
    place,
    name === undefined ? 'what has no name is left out' : 'what has the name of another is left out',
  );
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= 255 ? value : undefined;
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson).slice(0, MOST) : [];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The formats that become exchanges, queues and bindings. */
export const importers: readonly Importer[] = [rabbitmq];
