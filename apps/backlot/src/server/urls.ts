import type { Host, Kind } from '@backlot/core';

/** The url of each kind that listens, in order. */
export function listUrls(host: Host): readonly { readonly kind: Kind; readonly url: string }[] {
  return host.kinds.flatMap((kind) => (kind.url === undefined ? [] : [{ kind, url: kind.url }]));
}

/** The listeners that kinds have beside their own, with the kinds. */
export function listFurther(
  host: Host,
): readonly { readonly kind: Kind; readonly name: string; readonly url: string }[] {
  return host.kinds.flatMap((kind) => kind.beside.map(({ name, url }) => ({ kind, name, url })));
}

/** The environment variables by which a program finds the kinds that listen, and the management API. */
export function variablesOf(host: Host, apiUrl: string): Record<string, string> {
  const variables = host.kinds.flatMap((kind) => Object.entries(kind.variables));
  return { ...Object.fromEntries(variables), BACKLOT_URL: apiUrl };
}
