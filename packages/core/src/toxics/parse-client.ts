import { BlockList, isIP } from 'node:net';
import { invalid } from '../errors.js';

/** Whether a client is the one that a toxic names; `remote` is `address:port`. */
export type ClientTest = (address: string, remote: string) => boolean;

const ANYBODY: ClientTest = () => true;

/**
 * Reads the client of a toxic: an address, `address:port` (of IPv6 `[address]:port`), or a range `address/bits`.
 *
 * @throws BacklotError `invalid`
 */
export function parseClient(text: string | undefined): ClientTest {
  if (text === undefined) return ANYBODY;
  const range = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (range !== null) return inRange(text, range[1] ?? '', Number(range[2]));
  const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = withPort === null ? text : (withPort[1] ?? withPort[2] ?? '');
  const port = withPort?.[3];
  if (isIP(address) === 0 || Number(port ?? 1) > 65_535) throw unfit(text);
  const isThere = inRange(text, address, isIP(address) === 4 ? 32 : 128);
  if (port === undefined) return isThere;
  return (from, remote) => remote.endsWith(`:${Number(port)}`) && isThere(from, remote);
}

function inRange(text: string, address: string, bits: number): ClientTest {
  const family = isIP(address);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) throw unfit(text);
  const list = new BlockList();
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  return (from) => {
    const plain = from.replace(/%.*$/s, '');
    const found = isIP(plain);
    // A range of IPv6 would take every address of IPv4 for one that is mapped into it.
    return found === family && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };
}

function unfit(text: string): Error {
  return invalid(
    `"${text}" is no client; use an address such as "10.0.0.7", one with a port such as "10.0.0.7:50122" or "[::1]:50122", or a range such as "10.0.0.0/8"`,
  );
}
