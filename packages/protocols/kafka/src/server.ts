import { invalid, messageOf, readGivenBytes, type Json, type Service } from '@backlot/core/plugin';
import { createService, JobQueue, type Connection } from '@backlot/kit';
import { parseAdvertised, placeFor } from './advertised.js';
import { Acls } from './broker/acls.js';
import { readAcls } from './configured-acls.js';
import { Broker } from './broker/broker.js';
import { Groups } from './broker/groups.js';
import { Transactions } from './broker/transactions.js';
import { KafkaConnection, type Entering } from './connection.js';
import type { Services } from './handlers/call.js';
import { GroupSection } from './sections/groups.js';
import type { Registry } from './registry/registry.js';
import { encodeValue } from './registry/wire-format.js';
import { publish, TopicSection } from './sections/topics.js';
import { Seeder } from './seeder.js';
import type { KafkaContext } from './shape.js';
import type { Relay } from './upstream/relay.js';

/**
 * Takes connections and is the broker for those who are connected.
 *
 * @param relay - takes connections in its place, where there is an upstream
 */
export async function createKafkaService(context: KafkaContext, relay?: Relay): Promise<Service> {
  const { host, port, topics = [], advertised_host: advertisedHost } = context.config;
  const advertised = advertisedHost === undefined ? undefined : parseAdvertised(advertisedHost);
  const configured = new Map(topics.map(({ name, partitions = 1 }) => [name, partitions]));
  const broker = new Broker({
    partitionsOf: (topic) => configured.get(topic) ?? 1,
    now: () => context.clock.now(),
  });
  const groups = new Groups();
  let lastProducerId = 0;
  const jobs = new JobQueue({
    onError: (error) => context.log.error('a request could not be answered', error),
    byTurns: true,
  });
  const nextProducerId = (): number => (lastProducerId += 1);
  const now = (): number => context.clock.now();
  const transactions = new Transactions({ broker, groups, jobs, nextProducerId, now });
  const acls = new Acls();
  for (const entry of context.config.acls ?? []) for (const acl of readAcls(entry)) acls.add(acl);
  const settings = context.config.schema_registry;
  const served =
    settings === undefined
      ? undefined
      : await (await import('./registry/serve-registry.js')).serveRegistry(context, settings);
  const registry = served?.registry;
  const newId = (): string => context.newId();
  const services: Services = {
    ...{ context, broker, groups, transactions, acls, registry, jobs, nextProducerId, newId },
  };
  broker.onDeleted = (topic) => groups.forgetTopic(topic);
  const seeder = new Seeder(context, broker, registry);
  for (const name of configured.keys()) broker.create(name);
  seeder.start();
  context.addToSnapshots('topics', broker);
  context.addToSnapshots('groups', groups);
  context.addToSnapshots('transactions', transactions);
  context.addToSnapshots('acls', acls);
  if (registry !== undefined) context.addToSnapshots('schemas', registry.store);
  // Those who wait for their group are told at once, and so are those who join while the server stops.
  const dissolve = (): void => {
    groups.dissolve();
    transactions.dissolve();
  };
  const service = createService(context, {
    data: { topics: new TopicSection(broker), groups: new GroupSection(groups, broker) },
    publish: (record) => publish(broker, record, valueOf(record, registry)),
    stream: {
      ...(relay !== undefined && { allowHalfOpen: true }),
      onConnection: (connection) => {
        if (relay !== undefined) relay.take(connection);
        else new KafkaConnection(connection, services, placeFor(connection, { host, port }, advertised));
      },
      ...(relay === undefined && {
        onEntered: (connection: Connection, client: Entering) =>
          new KafkaConnection(connection, services, placeFor(connection, { host, port }, advertised)).enter(
            client,
          ),
      }),
    },
    onStarted: (place) => relay?.started(place),
    onStopping: dissolve,
    onStopped: dissolve,
  });
  const whole = served === undefined ? service : served.beside(service);
  return relay === undefined ? whole : relay.beside(whole);
}

/** The value of a record that is published; without any it is null, a tombstone. */
function valueOf(record: Json, registry: Registry | undefined): Buffer | null {
  const isGiven = ['value', 'json', 'value_base64'].some((field) => record[field] !== undefined);
  const value = isGiven ? readGivenBytes(record, 'value') : null;
  const { schema } = record;
  if (value === null || typeof schema !== 'string') return value;
  try {
    return encodeValue(value, schema, registry);
  } catch (thrown) {
    throw invalid(messageOf(thrown));
  }
}
