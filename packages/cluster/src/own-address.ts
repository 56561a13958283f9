import { connect, type Socket } from 'node:net';
import type { ListenAddress } from '@backlot/core/plugin';

/** Hosts at which a port listens on every address of its machine. */
const EVERYWHERE = new Set(['0.0.0.0', '::', '']);
/** How long the engine may take to be reached, in milliseconds. */
const TIMEOUT = 2_000;

/**
 * Where others reach a port: one that listens on every address of its machine at the one from which the engine is reached, which the others reach too.
 *
 * @param engine - the url of the engine
 */
export async function addressForOthers(listens: ListenAddress, engine: string): Promise<ListenAddress> {
  if (!EVERYWHERE.has(listens.host)) return listens;
  const host = await localAddress(new URL(engine));
  return host === undefined ? listens : { ...listens, host };
}

async function localAddress({ hostname, port, protocol }: URL): Promise<string | undefined> {
  const host = hostname.replaceAll(/[[\]]/g, '');
  const socket = connect({ host, port: port === '' ? (PORTS[protocol] ?? 4222) : Number(port) });
  return await new Promise((resolve) => {
    const end = (address: string | undefined): void => {
      socket.destroy();
      resolve(address);
    };
    socket.setTimeout(TIMEOUT, () => end(undefined));
    socket.on('error', () => end(undefined));
    socket.on('connect', () => end(addressOf(socket)));
  });
}

const PORTS: Readonly<Record<string, number>> = { 'redis:': 6379, 'rediss:': 6379 };

/** An IPv4 address that a socket for both has is shown as one of IPv6. */
function addressOf({ localAddress: address }: Socket): string | undefined {
  return address?.replace(/^::ffff:/, '');
}
