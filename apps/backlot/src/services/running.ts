import { reachableHost, type Host } from '@backlot/core';
import { formatAddress } from '@backlot/kit';
import type { WantedService } from './wanted.js';

/** Where a service is reached. */
export interface ServicePlace {
  readonly name: string;
  /** On its own port, or below its path. */
  readonly url: string;
  /** Below its path, on the port that all share. */
  readonly shared: string;
  readonly host: string;
  readonly port: number;
}

interface Mount {
  readonly path: string;
  readonly port?: number;
}

/** Where the services of a running host are reached; none while HTTP does not listen. */
export function placesOf(services: readonly WantedService[], host: Host): ServicePlace[] {
  const http = host.kinds.find(({ kind }) => kind === 'http');
  if (services.length === 0 || http?.url === undefined || http.address === undefined) return [];
  const { url, address } = http;
  const mounts = (http.status() as { readonly mounts?: readonly Mount[] }).mounts ?? [];
  const name = reachableHost(address.host);
  return services.map(({ definition: { header } }) => {
    const own = mounts.findLast(({ path }) => path === header.path)?.port;
    const scheme = url.slice(0, url.indexOf('://'));
    const shared = `${url}${header.path}`;
    return {
      name: header.name,
      url: own === undefined ? shared : `${scheme}://${formatAddress(name, own)}`,
      shared,
      host: name,
      port: own ?? address.port,
    };
  });
}

/** The environment variables by which a program finds the services. */
export function serviceVariablesOf(services: readonly WantedService[], host: Host): Record<string, string> {
  const variables: Record<string, string> = {};
  const addresses = new Map(
    host.kinds.flatMap(({ kind, address }) =>
      address === undefined
        ? []
        : [[kind, formatAddress(reachableHost(address.host), address.port)] as const],
    ),
  );
  for (const place of placesOf(services, host)) {
    const header = services.find(({ definition }) => definition.header.name === place.name)?.definition
      .header;
    const values: Readonly<Record<string, string>> = {
      url: place.url,
      shared_url: place.shared,
      address_url: place.url.replace('://localhost:', '://127.0.0.1:'),
      host: place.host,
      port: String(place.port),
      scheme: place.url.slice(0, place.url.indexOf('://')),
      path: place.url === place.shared ? (header?.path ?? '') : '',
    };
    for (const [variable, template] of Object.entries(header?.variables ?? {}))
      variables[variable] = template.replaceAll(
        /\{\{\s*(?:addresses\.([a-z][a-z0-9-]*)|(url|shared_url|address_url|host|port|scheme|path))\s*\}\}/g,
        (_, kind: string | undefined, name: string) =>
          kind === undefined ? String(values[name]) : (addresses.get(kind) ?? ''),
      );
  }
  return variables;
}
