import type { Log, Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import type { DatagramPart } from '../service.js';
import { DatagramFlows } from './datagram-flows.js';
import { splice } from './splice.js';
import { UpstreamLog } from './upstream-log.js';

/** Passes everything that comes to a service on to its upstream, bytes and datagrams as they are. */
export class PassThrough {
  readonly #upstream: Upstream;
  readonly #log: UpstreamLog;
  readonly #flows: DatagramFlows;

  constructor(upstream: Upstream, log: Pick<Log, 'warn'>) {
    this.#upstream = upstream;
    this.#log = new UpstreamLog(upstream, (text) => log.warn(text));
    this.#flows = new DatagramFlows(upstream, this.#log);
  }

  /** Takes a connection for as long as it is open. */
  take(connection: Connection): void {
    splice(connection, this.#upstream, this.#log);
  }

  /** Takes a datagram. */
  readonly receive: DatagramPart['onMessage'] = (data, remote, reply) =>
    this.#flows.send(data, remote, reply);

  stop(): void {
    this.#flows.stop();
  }
}
