import { BacklotError, isBacklotError, type ListenAddress } from '@backlot/core/plugin';
import {
  createService,
  together,
  type Connection,
  type ListenerService,
  type StreamPart,
} from '@backlot/kit';
import type { HttpContext } from './shape.js';

interface MountedPort {
  readonly path: string;
  readonly hosts: readonly string[] | undefined;
  /** Absent for a mount that has no port of its own. */
  readonly service: ListenerService | undefined;
  readonly port: number;
}

/** The further ports of the listener, each for requests below one path. */
export class MountedPorts {
  readonly #ports: readonly MountedPort[];

  /** @param take - serves a connection whose requests are seen below a path */
  constructor(
    context: HttpContext,
    stream: Omit<StreamPart, 'onConnection'>,
    take: (connection: Connection, path: string) => void,
  ) {
    this.#ports = (context.config.mounts ?? []).map(({ path, hosts, port }) => ({
      path,
      hosts,
      port: port ?? 0,
      service:
        port === undefined
          ? undefined
          : createService(
              { ...context, config: { ...context.config, port } },
              { stream: { ...stream, onConnection: (connection) => take(connection, path) } },
            ),
    }));
  }

  /** @throws BacklotError when a port cannot be had; then none listens */
  async start(): Promise<void> {
    try {
      for (const { service, port, path } of this.#ports) {
        await service?.start(port).catch((thrown: unknown) => {
          if (!isBacklotError(thrown)) throw thrown;
          throw new BacklotError(thrown.code, `mount ${path}: ${thrown.message}`, { cause: thrown });
        });
      }
    } catch (thrown) {
      await this.stop(0);
      throw thrown;
    }
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await Promise.all(this.#services().map((service) => service.stop(graceMilliseconds)));
  }

  openConnections(): ReturnType<ListenerService['openConnections']> {
    return this.#services().flatMap((service) => service.openConnections());
  }

  async renew(): Promise<(() => void) | undefined> {
    return together(await Promise.all(this.#services().map((service) => service.renew())));
  }

  get connections(): number {
    return this.#services().reduce((sum, { connections }) => sum + connections, 0);
  }

  /** For the status: what is mounted, with the ports that were taken. */
  describe(): readonly Readonly<Record<string, unknown>>[] {
    return this.#ports.map(({ path, hosts, service }) => {
      const place: ListenAddress | undefined = service?.place;
      return {
        path,
        ...(hosts === undefined ? {} : { hosts }),
        ...(place === undefined ? {} : { port: place.port }),
      };
    });
  }

  #services(): ListenerService[] {
    return this.#ports.flatMap(({ service }) => service ?? []);
  }
}
