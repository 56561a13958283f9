import { isIP } from 'node:net';
import {
  BacklotError,
  isForbiddenAddress,
  messageOf,
  type ListenAddress,
  type OpenConnection,
  type Service,
  type ServiceStatus,
  type Upstream,
} from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import { formatAddress } from '../address.js';
import { together } from '../renewal.js';
import { createService, type ListenerService, type ServiceContext, type StreamPart } from '../service.js';

/** The most nodes of a cluster that have listeners. */
const MAX_NODES = 1_000;

/** What the listeners of nodes are made of. */
export interface NodeListenersOptions {
  /** That of the kind. */
  readonly context: Omit<ServiceContext, 'upstream'>;
  /** Where the first node is, to which the listener of the kind leads. */
  readonly upstream: Upstream;
  /** The name and the url of the listener of a node, as people see them. */
  readonly name: string;
  readonly url: (place: ListenAddress) => string;
  readonly stream: Omit<StreamPart, 'onConnection'>;
  /** Takes a connection to a node. */
  readonly take: (connection: Connection, upstream: Upstream) => void;
}

/**
 * The nodes of a cluster behind a kind. Answers of the cluster name their addresses, to which clients would go past Backlot: each
 * gets a listener of its own, whose port stands in the answers in place of that of the node. It is opened when the node is named
 * for the first time, on the ports behind that of the kind where they are free.
 */
export class NodeListeners {
  readonly #options: NodeListenersOptions;
  readonly #nodes = new Map<string, Promise<ListenerService>>();
  readonly #open: { readonly name: string; readonly service: ListenerService }[] = [];
  #main: ListenAddress | undefined;
  #isStopped = false;

  constructor(options: NodeListenersOptions) {
    this.#options = options;
  }

  /**
   * The port that leads to a node.
   *
   * @param host - as the cluster names it
   * @returns the port; `undefined` for the node to which the listener of the kind leads
   * @throws Error when it may not be reached, or nothing more can listen
   */
  async portOf(host: string, port: number): Promise<number | undefined> {
    const { upstream } = this.#options;
    const isFirst = port === upstream.port && plain(host) === plain(upstream.host);
    if (isFirst) return undefined;
    const key = formatAddress(host, port);
    let node = this.#nodes.get(key);
    if (node === undefined) {
      node = this.#listen(host, port);
      this.#nodes.set(key, node);
      // The next one who names it tries again.
      node.catch(() => this.#nodes.delete(key));
    }
    const { place } = await node;
    if (place === undefined) throw new Error(`the listener of the node ${key} is closed`);
    return place.port;
  }

  /** The service of the kind with the listeners of nodes beside it. */
  beside(main: Service): Service {
    const { data, publish } = main;
    return {
      ...(data && { data }),
      ...(publish && { publish: (message) => publish.call(main, message) }),
      start: async (port) => {
        this.#isStopped = false;
        return (this.#main = await main.start(port));
      },
      stop: async (grace) => {
        await Promise.all([main.stop(grace), this.#stop(grace)]);
      },
      reset: () => main.reset?.(),
      renew: async () => {
        const own = this.#open.map(({ service }) => service.renew());
        return together([await main.renew?.(), ...(await Promise.all(own))]);
      },
      openConnections: () => [...(main.openConnections?.() ?? []), ...this.#connections()],
      followConnections: (follower) => main.followConnections?.(follower) ?? (() => undefined),
      status: () => this.#status(main.status?.() ?? {}),
    };
  }

  #connections(): readonly OpenConnection[] {
    // Each listener numbers its own, from 1.
    return this.#open.flatMap(({ name, service }) =>
      service.openConnections().map((each) => ({ ...each, id: `${name}-${each.id}` })),
    );
  }

  #status(status: ServiceStatus): ServiceStatus {
    const { url } = this.#options;
    const open = this.#open.flatMap(({ name, service: { place } }) =>
      place === undefined ? [] : [{ name, address: place, url: url(place) }],
    );
    return {
      ...status,
      connections: this.#open.reduce(
        (sum, { service }) => sum + service.connections,
        status.connections ?? 0,
      ),
      beside: [...(status.beside ?? []), ...open],
    };
  }

  async #listen(host: string, port: number): Promise<ListenerService> {
    const { context, upstream, stream, take, name } = this.#options;
    if (isIP(plain(host)) !== 0 && isForbiddenAddress(plain(host)))
      throw new Error(`${host} is a link-local or cloud metadata address, which is no upstream`);
    const number = this.#nodes.size + 1;
    if (number > MAX_NODES) throw new Error(`there are ${MAX_NODES} nodes already`);
    if (this.#isStopped) throw new Error('the service has stopped');
    const scheme = upstream.url.split('://', 1)[0] ?? '';
    const node: Upstream = {
      ...upstream,
      host: plain(host),
      port,
      url: `${scheme}://${formatAddress(host, port)}`,
    };
    const { config, clock, faults, toxics, log } = context;
    const service = createService(
      { config: { ...config, port: 0 }, clock, log, ...(faults && { faults }), ...(toxics && { toxics }) },
      { stream: { ...stream, onConnection: (connection) => take(connection, node) } },
    );
    await this.#start(service, (this.#main?.port ?? 0) + number);
    if (this.#isStopped) {
      await service.stop(0);
      throw new Error('the service has stopped');
    }
    this.#open.push({ name: `${name}-${number}`, service });
    return service;
  }

  async #start(service: ListenerService, port: number): Promise<void> {
    try {
      await service.start(port <= 65_535 ? port : 0);
    } catch (thrown) {
      if (!(thrown instanceof BacklotError)) throw thrown;
      this.#options.context.log.warn(
        `a node of the upstream is at another port than ${port}: ${messageOf(thrown)}`,
      );
      await service.start(0);
    }
  }

  async #stop(grace: number): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#nodes.values());
    const services = this.#open.splice(0).map(({ service }) => service.stop(grace));
    this.#nodes.clear();
    await Promise.all(services);
  }
}

/** A host without brackets; `localhost` as the address that it stands for. */
function plain(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === 'localhost' ? '127.0.0.1' : bare;
}
