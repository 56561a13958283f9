import type { ProtocolMeta } from '../contract/protocol.js';

/** A host under which this machine reaches what listens on a host: every address is reached by `localhost`. */
export function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}

/**
 * The connection url of what listens at an address.
 *
 * @param settings - those of the kind, which may have the path
 */
export function urlOf(
  meta: ProtocolMeta,
  address: { readonly host: string; readonly port: number },
  isEncrypted: boolean,
  settings: Readonly<Record<string, unknown>> = {},
): string {
  const host = reachableHost(address.host);
  const url = meta.url
    .replace('{host}', host.includes(':') ? `[${host}]` : host)
    .replace('{port}', String(address.port));
  const path = meta.urlPath === undefined ? undefined : settings[meta.urlPath];
  const whole =
    typeof path === 'string'
      ? url.replace(/^([a-z]+:\/\/[^/]*).*$/, (_url, origin) => `${origin}${path}`)
      : url;
  return isEncrypted ? whole.replace(/^(ws|[a-z]+[a-rt-z]):\/\//, '$1s://') : whole;
}
