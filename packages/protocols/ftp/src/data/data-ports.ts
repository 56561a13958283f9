import type { Context } from '@backlot/core/plugin';
import { createStreamServer, type Connection, type StreamServer, type StreamTls } from '@backlot/kit';
import { DEFAULT_PASSIVE_PORTS } from '../schemas.js';
import type { FtpShape } from '../shape.js';
import { ActiveChannel } from './active-channel.js';
import type { DataChannel } from './data-channel.js';
import { PassivePorts, type PassivePort, type PassiveRange } from './passive-ports.js';

/** Makes data connections, passive and active. */
export class DataPorts {
  /** The IPv4 address that PASV names; absent: where the client is connected to. */
  readonly passiveHost: string | undefined;
  readonly #passive: PassivePorts;
  /** Never listens: it keeps track of connections to clients. */
  readonly #active: StreamServer;

  constructor({ config, log, toxics }: Context<FtpShape>, tls: StreamTls | undefined) {
    this.passiveHost = config.passive_host;
    this.#passive = new PassivePorts(
      rangeOf(config.passive_port_start, config.passive_port_end),
      tls,
      toxics,
    );
    this.#active = createStreamServer({
      host: config.host,
      port: 0,
      toxics,
      ...(tls === undefined ? {} : { tls: { ...tls, mode: 'starttls' as const } }),
      onConnection: () => undefined,
      onError: (error) => log.error('a data connection failed', error),
    });
  }

  /** Opens a port where the client is connected to. @throws ReplyError 425 */
  listen(control: Connection, host: string): Promise<PassivePort> {
    return this.#passive.listen(control, host);
  }

  /** A way to a port of the client. */
  reach(host: string, port: number): DataChannel {
    return new ActiveChannel(this.#active, host, port);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#passive.stop(), this.#active.stop(0)]);
  }
}

/** The ports of the configuration. */
export function rangeOf(start: number | undefined, end: number | undefined): PassiveRange | undefined {
  if (start === undefined) return undefined;
  return { first: start, last: end ?? Math.min(start + DEFAULT_PASSIVE_PORTS - 1, 65_535) };
}
