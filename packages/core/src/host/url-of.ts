import type { ProtocolMeta } from '../contract/protocol.js';

/** A host under which this machine reaches what listens on a host: every address is reached by `localhost`. */
export function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}

/** The connection url of what listens at an address. */
export function urlOf(
  meta: ProtocolMeta,
  address: { readonly host: string; readonly port: number },
  isEncrypted: boolean,
): string {
  const host = reachableHost(address.host);
  const url = meta.url
    .replace('{host}', host.includes(':') ? `[${host}]` : host)
    .replace('{port}', String(address.port));
  return isEncrypted ? url.replace(/^(ws|[a-z]+[a-rt-z]):\/\//, '$1s://') : url;
}
