import type { Json, ListenAddress, OpenConnection, Service, ServiceStatus } from '@backlot/core/plugin';
import { together } from './renewal.js';
import type { ListenerService, ServiceContext } from './service.js';

/** A further listener of a kind, on a port of its own. */
export interface Companion {
  readonly service: ListenerService;
  /** Where it listens; 0 takes a free port. */
  readonly port: number;
  /** Names it, its connections among those of the kind (`pop3-1`), and its variables (`POP3_URL`). */
  readonly name: string;
  /** The url by which clients on this machine connect. */
  readonly url: (place: ListenAddress) => string;
  /** Gives further fields of the status. */
  readonly describe: (place: ListenAddress | undefined) => Readonly<Record<string, unknown>>;
}

/**
 * What the listener of a {@link Companion} is made of: the context of its kind, with a port of its own. Upstreams and toxics are those of the kind's own
 * port alone.
 *
 * @param name - as in {@link Companion.name}
 */
export function companionContext<T extends ServiceContext>(
  { config, clock, faults, log, ports }: T,
  name: string,
  port: number,
): ServiceContext & { readonly config: T['config'] } {
  const own = { config: { ...config, port }, clock, log };
  return {
    ...own,
    ...(faults === undefined ? {} : { faults }),
    ...(ports === undefined ? {} : { ports: ports.of(name) }),
  };
}

/** The service of a kind with a further listener beside it: both start and stop together. */
export function withCompanion(main: Service, companion: Companion): Service {
  return new AccompaniedService(main, companion);
}

class AccompaniedService implements Service {
  readonly #main: Service;
  readonly #companion: Companion;
  readonly publish?: (message: Json) => Json | Promise<Json>;
  readonly entrance?: unknown;

  constructor(main: Service, companion: Companion) {
    this.#main = main;
    this.#companion = companion;
    const { publish, entrance } = main;
    const { service, name } = companion;
    if (entrance !== undefined || service.entrance !== undefined)
      this.entrance = { ...Object(entrance), [name]: service.entrance };
    if (publish !== undefined) this.publish = (message) => publish.call(main, message);
  }

  get data(): NonNullable<Service['data']> {
    return this.#main.data ?? {};
  }

  async start(port: number): Promise<ListenAddress> {
    const { service, port: own } = this.#companion;
    await service.start(own);
    try {
      return await this.#main.start(port);
    } catch (error) {
      await service.stop(0);
      throw error;
    }
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await Promise.all([this.#main.stop(graceMilliseconds), this.#companion.service.stop(graceMilliseconds)]);
  }

  reset(): void {
    this.#main.reset?.();
    this.#companion.service.reset();
  }

  async renew(): Promise<(() => void) | undefined> {
    return together([await this.#main.renew?.(), await this.#companion.service.renew()]);
  }

  openConnections(): readonly OpenConnection[] {
    const { service, name } = this.#companion;
    // Each listener numbers its own, from 1.
    const others = service.openConnections().map((each) => ({ ...each, id: `${name}-${each.id}` }));
    return [...(this.#main.openConnections?.() ?? []), ...others];
  }

  status(): ServiceStatus {
    const { service, describe, name, url } = this.#companion;
    const { place } = service;
    const { connections = 0, extra, beside = [], ...status } = this.#main.status?.() ?? {};
    const { connections: others = 0, error } = service.status();
    return {
      ...(error !== undefined && { error }),
      ...status,
      connections: connections + others,
      beside: place === undefined ? beside : [...beside, { name, address: place, url: url(place) }],
      extra: { ...extra, ...describe(place) },
    };
  }
}
