import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isForbiddenAddress } from '@backlot/core/plugin';

/** Asks for the addresses of a name. */
type Lookup = (host: string, options: { all: true }) => Promise<LookupAddress[]>;

/**
 * The address of a host, checked: it is what the trap is sent to, and the name is not asked for again. One that changes its
 * answer meanwhile gains nothing.
 *
 * @param lookup - the system's resolver when absent
 * @throws Error when the name has no address, or one that nothing is sent to
 */
export async function resolveTarget(host: string, lookup: Lookup = systemLookup): Promise<string> {
  const addresses = await lookup(host, { all: true });
  const refused = addresses.find(({ address }) => isForbiddenAddress(address));
  if (refused !== undefined) {
    throw new Error(`${refused.address} is link-local or a metadata service, where nothing is sent to`);
  }
  // Trap daemons listen on IPv4 unless they are told otherwise.
  const first = addresses.find(({ family }) => family === 4) ?? addresses[0];
  if (first === undefined) throw new Error(`"${host}" has no address`);
  return first.address;
}
