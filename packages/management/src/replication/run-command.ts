import type { Host } from '@backlot/core';
import { BacklotError, type RouteAnswer } from '@backlot/core/plugin';
import type { ManagementOptions } from '../options.js';
import { allRoutes } from '../routes/all-routes.js';
import type { ManagementRequest, ManagementRoute } from '../routes/management-route.js';
import type { Command } from './replication.js';

/**
 * Makes what carries out commands on a host, as its management API would.
 *
 * @param options - those that the management API is made with
 * @returns carries out one command; calls must not overlap, since what comes later may build on what came earlier. It throws what the route
 * throws, and BacklotError `not_found` for a route or a space that is not there
 */
export function commandRunner(
  host: Host,
  options: ManagementOptions = {},
): (command: Command) => Promise<RouteAnswer> {
  const routes = new Map<string, ManagementRoute>(
    allRoutes(host, options).map((route) => [route.name, route] as const),
  );
  const { signal } = new AbortController();
  return async ({ route: name, params, query, body, space }) => {
    const route = routes.get(name);
    if (route === undefined) throw new BacklotError('not_found', `this replica has no route "${name}"`);
    const request: ManagementRequest = {
      ...{ params, query, body, signal },
      ...{ headers: {}, mountPath: '', main: host },
    };
    if (space === undefined) return await route.handle(request, host);
    const entered = host.spaces.get(space);
    entered.use();
    return await route.handle(request, entered.host);
  };
}
