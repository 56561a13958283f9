import type { Host, Kind } from '@backlot/core';

/** The url of each kind that listens, in order. */
export function listUrls(host: Host): readonly { readonly kind: Kind; readonly url: string }[] {
  return host.kinds.flatMap((kind) => (kind.url === undefined ? [] : [{ kind, url: kind.url }]));
}

/** The environment variables by which a program finds the kinds that listen. */
export function urlVariables(host: Host, apiUrl: string): Record<string, string> {
  const variables = listUrls(host).map(({ kind, url }) => [kind.urlVariable, url]);
  return { ...(Object.fromEntries(variables) as Record<string, string>), BACKLOT_URL: apiUrl };
}
