import { isBacklotError, type ToxicFeed } from '@backlot/core/plugin';
import { createStreamServer, type Connection, type StreamServer, type StreamTls } from '@backlot/kit';
import { ReplyError } from '../reply-error.js';
import type { DataChannel } from './data-channel.js';
import { PassiveChannel } from './passive-channel.js';

/** Passive listeners at one time, of all clients. */
const MAX_LISTENERS = 1000;
const MAX_PORT = 65_535;
/** How many ports after the last one are tried before the system is asked for one. */
const NEIGHBOURS = 4;
/** How long a connection that was ended may take to deliver what was sent, in ms. */
const GRACE = 1000;

/** Where passive listeners may be. */
export interface PassiveRange {
  readonly first: number;
  readonly last: number;
}

/** An open passive port. */
export interface PassivePort {
  readonly port: number;
  readonly channel: DataChannel;
}

/** Opens ports for passive data connections. */
export class PassivePorts {
  readonly #range: PassiveRange | undefined;
  readonly #tls: StreamTls | undefined;
  readonly #toxics: ToxicFeed | undefined;
  readonly #open = new Set<StreamServer>();
  readonly #stopping = new Set<Promise<void>>();
  #next = 0;

  constructor(range: PassiveRange | undefined, tls: StreamTls | undefined, toxics: ToxicFeed | undefined) {
    this.#range = range;
    this.#toxics = toxics;
    this.#tls = tls;
  }

  /**
   * Opens a port for one connection of a client.
   *
   * @throws ReplyError 425 when there is none
   */
  async listen(control: Connection, host: string): Promise<PassivePort> {
    if (this.#open.size >= MAX_LISTENERS)
      throw new ReplyError(425, 'too many clients wait for data connections');
    const channel = new PassiveChannel((grace) => this.#release(server, grace), GRACE);
    const server = createStreamServer({
      host,
      port: 0,
      ...(this.#tls === undefined ? {} : { tls: { ...this.#tls, mode: 'starttls' as const } }),
      ...(this.#toxics && { toxics: this.#toxics }),
      // Whoever else connects gets nothing, and does not take the client's place.
      admit: (remote) => ({ refuse: !channel.expects(remote, control.remoteAddress) }),
      onConnection: (connection) => channel.take(connection),
    });
    this.#open.add(server);
    try {
      return { port: await this.#bind(server), channel };
    } catch (error) {
      channel.abort();
      throw error;
    }
  }

  /** Closes every port, and waits until all connections are gone. */
  async stop(): Promise<void> {
    for (const server of [...this.#open]) this.#release(server, 0);
    await Promise.all(this.#stopping);
  }

  async #bind(server: StreamServer): Promise<number> {
    const range = this.#range;
    if (range === undefined) return this.#bindAnywhere(server);
    const count = range.last - range.first + 1;
    for (let attempt = 0; attempt < count; attempt += 1) {
      const port = await bindTo(server, range.first + (this.#next++ % count));
      if (port !== undefined) return port;
    }
    throw new ReplyError(425, `no port is free between ${range.first} and ${range.last}`);
  }

  /** Takes the port after the last one: looking for a free one takes some systems two milliseconds. */
  async #bindAnywhere(server: StreamServer): Promise<number> {
    for (let attempt = 0; attempt < NEIGHBOURS && this.#next > 0 && this.#next < MAX_PORT; attempt += 1) {
      this.#next += 1;
      const port = await bindTo(server, this.#next);
      if (port !== undefined) return port;
    }
    this.#next = (await server.start(0)).port;
    return this.#next;
  }

  #release(server: StreamServer, grace: number): void {
    if (!this.#open.delete(server)) return;
    const stopped = server.stop(grace).finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }
}

async function bindTo(server: StreamServer, port: number): Promise<number | undefined> {
  try {
    return (await server.start(port)).port;
  } catch (error) {
    if (isBacklotError(error) && error.code === 'port_in_use') return undefined;
    throw error;
  }
}
