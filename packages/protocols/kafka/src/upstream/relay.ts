import type { ListenAddress, Service, Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { NodeListeners, readAuthorities, UpstreamLog } from '@backlot/kit/upstream';
import { placeFor, type Advertised } from '../advertised.js';
import type { KafkaContext } from '../shape.js';
import { RelayedConnection } from './connection.js';

/** The most topics whose names are known by their ids. */
const MAX_TOPICS = 100_000;

/** Passes clients to the brokers of an upstream. One for each service. */
export class Relay {
  readonly context: KafkaContext;
  readonly authorities: Buffer | undefined;
  readonly log: UpstreamLog;
  readonly #upstream: Upstream;
  readonly #nodes: NodeListeners;
  readonly #topics = new Map<string, string>();
  #mainPort: number | undefined;

  constructor(context: KafkaContext, upstream: Upstream) {
    this.context = context;
    this.#upstream = upstream;
    this.authorities = readAuthorities(upstream);
    this.log = new UpstreamLog(upstream, (text) => context.log.warn(text));
    this.#nodes = new NodeListeners({
      context,
      upstream,
      name: 'kafka-node',
      url: ({ host, port }) => `${host}:${port}`,
      stream: { allowHalfOpen: true },
      take: (connection, node) => this.#take(connection, node),
    });
    context.faults.onChange(() => this.#warnOfFault());
    this.#warnOfFault();
  }

  /** Records pass in their batches, out of which a fault cannot take them. */
  #warnOfFault(): void {
    if (this.context.faults.current !== undefined)
      this.context.log.warn(
        `the fault does not act on records, which pass to ${this.#upstream.url} as they are; phase connect and toxics act, and so do faults without an upstream`,
      );
  }

  /** Takes a client of the listener of the kind. */
  take(connection: Connection): void {
    this.#take(connection, this.#upstream);
  }

  beside(service: Service): Service {
    return this.#nodes.beside(service);
  }

  /** Where a client finds a broker: on the host by which it has come here. */
  async placeOf(
    connection: Connection,
    listened: ListenAddress,
    advertised: Advertised | undefined,
    broker: ListenAddress,
  ): Promise<ListenAddress> {
    const { host, port } = placeFor(connection, listened, advertised);
    const own = await this.#nodes.portOf(broker.host, broker.port);
    return { host, port: own ?? (advertised?.port === undefined ? (this.#mainPort ?? port) : port) };
  }

  /** The name of a topic that goes by its id. */
  nameOf(topicId: string): string {
    return this.#topics.get(topicId) ?? topicId;
  }

  /** Keeps what topics are called. */
  learn(topicId: string, name: string): void {
    if (this.#topics.size < MAX_TOPICS) this.#topics.set(topicId, name);
  }

  /** The service listens. */
  started({ port }: ListenAddress): void {
    this.#mainPort = port;
  }

  #take(connection: Connection, upstream: Upstream): void {
    new RelayedConnection(connection, this, upstream);
  }
}
