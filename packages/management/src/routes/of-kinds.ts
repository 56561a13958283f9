import type { Host, Kind } from '@backlot/core';
import { BacklotError } from '@backlot/core/plugin';
import type { ManagementRoute } from './management-route.js';

/** What the routes of a kind need of it. */
interface Needs {
  /** Whether they look into its running service; changes need it in any case, since they may change what it holds. */
  readonly service?: boolean;
}

/**
 * The routes of each kind of a host. In a space they act on the same kind of the space, which they start when they are what uses
 * it first.
 *
 * @param make - makes the routes of one kind
 */
export function ofKinds(
  host: Host,
  make: (kind: Kind) => readonly ManagementRoute[],
  { service = false }: Needs = {},
): readonly ManagementRoute[] {
  return host.kinds.flatMap((kind) => {
    const inSpaces = new WeakMap<Kind, readonly ManagementRoute[]>();
    const routeIn = (own: Kind, name: string): ManagementRoute => {
      const routes = inSpaces.get(own) ?? make(own);
      inSpaces.set(own, routes);
      const found = routes.find((route) => route.name === name);
      if (found === undefined) throw new BacklotError('not_found', `${own.kind} has no route ${name} here`);
      return found;
    };
    return make(kind).map((route) => ({
      ...route,
      handle(request, acting) {
        const own = acting.kind(kind.kind);
        // Another one stands in its place when the host has taken other options.
        if (own === kind) return route.handle(request, acting);
        const answer = (): ReturnType<ManagementRoute['handle']> =>
          routeIn(own, route.name).handle(request, acting);
        return acting !== host && (service || route.method !== 'GET') ? own.wake().then(answer) : answer();
      },
    }));
  });
}
