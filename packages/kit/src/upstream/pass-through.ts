import type { Log, Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import type { DatagramPart } from '../service.js';
import { readAuthorities } from './connect-upstream.js';
import { DatagramFlows } from './datagram-flows.js';
import { splice } from './splice.js';
import { UpstreamLog } from './upstream-log.js';

/** Urls of any kind that name connections alone. */
const STREAMED = /^(?:tcp|tls):/;

/** Passes everything that comes to a service on to its upstream, bytes and datagrams as they are. */
export class PassThrough {
  readonly #upstream: Upstream;
  readonly #log: UpstreamLog;
  readonly #flows: DatagramFlows;
  readonly #authorities: Buffer | undefined;

  /**
   * @param takes - what the service takes: an url that names one way of carrying leads the other as well, which is told
   * @throws BacklotError `invalid` for authorities that cannot be read
   */
  constructor(
    upstream: Upstream,
    log: Pick<Log, 'warn'>,
    takes: { readonly streams: boolean; readonly datagrams: boolean },
  ) {
    this.#upstream = upstream;
    this.#authorities = readAuthorities(upstream);
    const { url, host, port, isSecure } = upstream;
    const there = `of the upstream ${url} go to port ${port} of ${host}`;
    if (takes.streams && takes.datagrams && url.startsWith('udp:')) log.warn(`connections ${there}, by TCP`);
    if (takes.streams && takes.datagrams && (isSecure || STREAMED.test(url)))
      log.warn(`datagrams ${there}, by UDP${isSecure ? ' and without TLS' : ''}`);
    this.#log = new UpstreamLog(upstream, (text) => log.warn(text));
    this.#flows = new DatagramFlows(upstream, this.#log);
  }

  /** Takes a connection for as long as it is open. */
  take(connection: Connection): void {
    splice(connection, this.#upstream, this.#authorities, this.#log);
  }

  /** Takes a datagram. */
  readonly receive: DatagramPart['onMessage'] = (data, remote, reply) =>
    this.#flows.send(data, remote, reply);

  stop(): void {
    this.#flows.stop();
  }
}
