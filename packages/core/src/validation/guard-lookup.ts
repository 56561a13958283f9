import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isForbiddenAddress } from './forbidden-address.js';

/**
 * Wraps a resolver so that a connection to a forbidden address fails. The check is made on what the connection will
 * really use, so a name that changes its mind between a check and the call does not get around it.
 *
 * @param refuse - makes the error for an address that must not be called
 */
export function guardLookup(lookup: LookupFunction, refuse: (address: string) => Error): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const addresses: LookupAddress[] = Array.isArray(found) ? found : [{ address: found, family: 0 }];
      const refused = addresses.find(({ address }) => isForbiddenAddress(address));
      const [first] = addresses;
      if (refused !== undefined) callback(refuse(refused.address), '');
      else if (first === undefined) callback(new Error(`"${hostname}" has no address`), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
