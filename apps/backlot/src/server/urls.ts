import type { Host, Kind } from '@backlot/core';
import { formatAddress } from '@backlot/kit';
import { reachable } from './start-server.js';

/** The connection url of a kind that listens; `undefined` when it does not. */
function urlOf(kind: Kind): string | undefined {
  const { address, protocol } = kind;
  if (address === undefined) return undefined;
  const host = reachable(address.host);
  const url = protocol.meta.url
    .replace('{host}:{port}', formatAddress(host, address.port))
    .replace('{host}', host.includes(':') ? `[${host}]` : host)
    .replace('{port}', String(address.port));
  return kind.status()['tls'] === true ? url.replace(/^(ws|[a-z]+[a-rt-z]):\/\//, '$1s://') : url;
}

/** The url of each kind that listens, in order. */
export function listUrls(host: Host): readonly { readonly kind: Kind; readonly url: string }[] {
  return host.kinds.flatMap((kind) => {
    const url = urlOf(kind);
    return url === undefined ? [] : [{ kind, url }];
  });
}

/** The environment variables by which a program finds the kinds that listen. */
export function urlVariables(host: Host, apiUrl: string): Record<string, string> {
  const variables = listUrls(host).map(({ kind, url }) => [
    kind.protocol.meta.urlVariable ?? defaultVariable(kind.kind),
    url,
  ]);
  return { ...(Object.fromEntries(variables) as Record<string, string>), BACKLOT_URL: apiUrl };
}

function defaultVariable(kind: string): string {
  return `${kind.toUpperCase().replaceAll('-', '_')}_URL`;
}
