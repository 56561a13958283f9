import { invalid } from '@backlot/core/plugin';
import type { ListenAddress } from '@backlot/core/plugin';
import { formatAddress } from './address.js';
import { listenError, systemCode } from './listen-error.js';

/**
 * Something that can listen on several addresses with one port number: a stream server or a datagram server.
 * Its methods are called by {@link startOnOnePort}; authors of protocols call `start` and `stop`.
 */
export interface PortBinder {
  /** The address and port that were asked for. */
  readonly wanted: ListenAddress;
  /** Does what may fail and needs no port, such as reading a certificate. */
  prepare(): Promise<void>;
  /**
   * Listens on one more address.
   *
   * @returns the port that was bound
   * @throws the system's error when the address cannot be listened on or the port is taken
   */
  bind(address: string, port: number): Promise<number>;
  /** Called when every address is bound. */
  started(place: ListenAddress): void;
  /** Closes every port bound so far, and ends connections that were made meanwhile. */
  release(): Promise<void>;
}

// An ephemeral port that is free on one address or protocol may be taken on the next one.
const ATTEMPTS = 20;

/** The addresses a host stands for; those after the first may be missing on the machine. */
function addressesOf(host: string): readonly string[] {
  return host.toLowerCase() === 'localhost' ? ['127.0.0.1', '::1'] : [host];
}

/**
 * Starts servers that share one port number, such as one for connections and one for datagrams, on every address of
 * their host. For port 0 it finds a port that is free for all of them. When it fails, nothing listens.
 *
 * @param binders - the servers; all must want the same host and port
 * @param port - the port in place of the one the servers want
 * @returns the host as asked for and the port that was taken
 * @throws BacklotError `port_in_use` when the port is taken (the system's error is its `cause`), `invalid` when the
 * place cannot be listened on at all
 */
export async function startOnOnePort(binders: readonly PortBinder[], port?: number): Promise<ListenAddress> {
  const first = binders[0]?.wanted;
  if (first === undefined) throw invalid('startOnOnePort was given no server; give at least one');
  const wanted = { host: first.host, port: port ?? first.port };
  const other = binders.find(
    ({ wanted: each }) => each.host !== first.host || (port === undefined && each.port !== first.port),
  );
  if (other !== undefined) {
    throw invalid(
      `servers on one port must want the same place, not ${formatAddress(wanted.host, wanted.port)} and ` +
        formatAddress(other.wanted.host, other.wanted.port),
    );
  }
  // Datagram sockets would take a larger number for its lowest sixteen bits.
  if (!Number.isInteger(wanted.port) || wanted.port < 0 || wanted.port > 65_535) {
    throw invalid(`port ${wanted.port} is not a port: give a whole number from 0 to 65535`);
  }
  for (let attempt = 1; ; attempt += 1) {
    for (const binder of binders) await binder.prepare();
    try {
      const place = { host: wanted.host, port: await bindAll(binders, wanted) };
      for (const binder of binders) binder.started(place);
      return place;
    } catch (error) {
      await Promise.all(binders.map((binder) => binder.release()));
      const canTryAnother = wanted.port === 0 && systemCode(error) === 'EADDRINUSE' && attempt < ATTEMPTS;
      if (!canTryAnother) throw listenError(error, wanted);
    }
  }
}

async function bindAll(binders: readonly PortBinder[], wanted: ListenAddress): Promise<number> {
  let { port } = wanted;
  for (const [index, address] of addressesOf(wanted.host).entries()) {
    for (const binder of binders) {
      try {
        port = await binder.bind(address, port);
      } catch (error) {
        if (index > 0 && isAbsent(error)) break;
        throw error;
      }
    }
  }
  return port;
}

function isAbsent(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EINVAL';
}
