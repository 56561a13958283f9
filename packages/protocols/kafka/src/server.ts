import { messageOf, type Listening, type Service, type ServiceStatus } from '@backlot/core/plugin';
import { admitBy, createStreamServer, isFramingError, JobQueue, type StreamServer } from '@backlot/kit';
import { parseAdvertised, placeFor } from './advertised.js';
import { Broker } from './broker/broker.js';
import { Groups } from './broker/groups.js';
import { Conversation } from './conversation.js';
import type { Services } from './handlers/call.js';
import { Seeder } from './seeder.js';
import type { KafkaContext } from './shape.js';

/** Takes connections and is the broker for those who are connected. */
export class KafkaServer implements Service {
  readonly #streams: StreamServer;
  readonly #isEncrypted: boolean;
  readonly #groups = new Groups();
  #error: string | undefined;

  constructor(context: KafkaContext) {
    const { host, port, tls, topics = [], advertised_host: advertisedHost } = context.config;
    const advertised = advertisedHost === undefined ? undefined : parseAdvertised(advertisedHost);
    const configured = new Map(topics.map(({ name, partitions = 1 }) => [name, partitions]));
    const broker = new Broker({
      partitionsOf: (topic) => configured.get(topic) ?? 1,
      now: () => context.clock.now(),
    });
    const groups = this.#groups;
    let lastProducerId = 0;
    const jobs = new JobQueue({
      onError: (error) => context.log.error('a request could not be answered', error),
      byTurns: true,
    });
    const nextProducerId = (): number => (lastProducerId += 1);
    const services: Services = { context, broker, groups, jobs, nextProducerId };
    broker.onDeleted = (topic) => groups.forgetTopic(topic);
    const seeder = new Seeder(context, broker);
    for (const name of configured.keys()) broker.create(name);
    seeder.start();
    context.keep('topics', broker);
    context.keep('groups', groups);
    this.#isEncrypted = tls !== undefined && tls.enabled !== false;
    this.#streams = createStreamServer({
      host,
      port,
      tls: tls === undefined || tls.enabled === false ? undefined : { ...tls, mode: 'implicit' },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => {
        new Conversation(connection, services, placeFor(connection, { host, port }, advertised));
      },
      onError: (error, where, connection) => {
        if (isFramingError(error)) {
          context.log.warn(`${connection?.remote ?? 'a client'}: ${messageOf(error)}`);
        }
        // What clients do wrong in a handshake is theirs.
        else if (where !== 'tls') context.log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  start(port: number): Promise<Listening> {
    return this.#streams.start(port);
  }

  async stop(graceMilliseconds: number): Promise<void> {
    this.#groups.dissolve();
    await this.#streams.stop(graceMilliseconds);
    this.#groups.dissolve();
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#isEncrypted };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }
}
