import type { Kind } from '@backlot/core';
import type { RunningServer } from '../server/start-server.js';
import { listFurther, listUrls } from '../server/urls.js';
import type { ServicePlace } from '../services/running.js';

/** A line for each listener. */
export function describeServer(server: RunningServer, services: readonly ServicePlace[]): string[] {
  const rows = listUrls(server.host).map(({ kind, url }): [string, string, string] => [
    kind.kind,
    url,
    countMocks(kind),
  ]);
  for (const { kind, name, url } of listFurther(server.host)) rows.push([name, url, `of ${kind.kind}`]);
  for (const { name, url, shared } of services)
    rows.push([name, url, url === shared ? 'service' : `service, as ${shared} too`]);
  rows.push(['management', server.apiUrl, 'see /api/docs']);
  if (server.toxiproxyUrl !== undefined)
    rows.push(['toxiproxy', server.toxiproxyUrl, 'for clients of Toxiproxy']);
  const first = Math.max(...rows.map(([name]) => name.length));
  const second = Math.max(...rows.map(([, url]) => url.length));
  return rows.map(([name, url, more]) => `${name.padEnd(first)}  ${url.padEnd(second)}  ${more}`);
}

function countMocks(kind: Kind): string {
  const { noun } = kind.protocol.mocks;
  const count = kind.mocks.list().length;
  if (count === 0) return `no ${plural(noun)} yet`;
  return count === 1 ? `1 ${noun}` : `${count} ${plural(noun)}`;
}

function plural(noun: string): string {
  return /(?:x|s|sh|ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** A command that shows that it works: the first mock that curl can ask for, else the management API. */
export function firstTry(server: RunningServer): string {
  for (const { kind, url } of listUrls(server.host)) {
    if (!/^https?:/.test(url)) continue;
    for (const mock of kind.mocks.list()) {
      const { method = 'GET', path } = (mock['request'] ?? {}) as { method?: unknown; path?: unknown };
      if (method === 'GET' && typeof path === 'string' && /^\/[\w./~-]*$/.test(path)) {
        return `curl ${url.startsWith('https') ? '-k ' : ''}${url}${path}`;
      }
    }
  }
  return `curl ${server.apiUrl}/api/protocols`;
}

/** The last line of a start: every address, `name=url`, with a space between them. */
export function readyLine(server: RunningServer, services: readonly ServicePlace[]): string {
  const addresses = listUrls(server.host).map(({ kind, url }) => `${kind.kind}=${url}`);
  const further = listFurther(server.host).map(({ name, url }) => `${name}=${url}`);
  const own = services.map(({ name, url }) => `${name}=${url}`);
  const { apiUrl, toxiproxyUrl } = server;
  const toxiproxy = toxiproxyUrl === undefined ? [] : [`toxiproxy=${toxiproxyUrl}`];
  return ['ready', ...addresses, ...further, ...own, ...toxiproxy, `api=${apiUrl}`].join(' ');
}
