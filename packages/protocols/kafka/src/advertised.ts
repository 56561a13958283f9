import { invalid } from '@backlot/core/plugin';
import { plainAddress, type Connection } from '@backlot/kit';
import type { ListenAddress } from '@backlot/core/plugin';

/** Where clients are told to connect to; without a port the one that is listened on. */
export interface Advertised {
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * Reads `host` or `host:port`; an IPv6 literal with a port stands in brackets.
 *
 * @throws BacklotError `invalid`
 */
export function parseAdvertised(text: string): Advertised {
  const parts =
    /^(?:\[(?<literal>[0-9a-fA-F:.]+)\]|(?<host>[^\s:/[\]]+)|(?<bare>[0-9a-fA-F:.]+))(?::(?<port>\d{1,5}))?$/.exec(
      text,
    )?.groups;
  const host = parts?.['literal'] ?? parts?.['host'] ?? parts?.['bare'];
  const port = parts?.['port'] === undefined ? undefined : Number(parts['port']);
  if (host === undefined || port === 0 || (port ?? 1) > 65_535) {
    throw invalid(`${JSON.stringify(text)} is no host; use one such as kafka.test or kafka.test:9092`);
  }
  return { host, port };
}

/**
 * What a client on this connection is told to connect to.
 *
 * @param listened - where the server was asked to listen: of `localhost` both addresses lead here, so that name is given
 */
export function placeFor(
  connection: Connection,
  listened: ListenAddress,
  advertised: Advertised | undefined,
): ListenAddress {
  const port = advertised?.port ?? connection.socket.localPort ?? listened.port;
  if (advertised !== undefined) return { host: advertised.host, port };
  if (listened.host === 'localhost') return { host: 'localhost', port };
  return { host: plainAddress(connection.socket.localAddress ?? listened.host), port };
}
