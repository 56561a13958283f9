import type { Kind } from '@backlot/core';
import { BacklotError } from '@backlot/core/plugin';
import { checkEnabled, fails, type ManagementRoute } from './management-route.js';

/** The routes that a protocol brings itself; they act on its running service. */
export function ownRoutes(kind: Kind): ManagementRoute[] {
  return (kind.protocol.routes ?? []).map((route) => ({
    ...route,
    responses: { ...route.responses, 503: route.responses[503] ?? fails('The protocol is not running.') },
    handle(request) {
      if (!kind.enabled && route.whenNotEnabled !== undefined) return route.whenNotEnabled;
      checkEnabled(kind);
      const { service } = kind;
      if (service === undefined) throw new BacklotError('not_enabled', `${kind.kind} protocol not running`);
      return route.handle(request, service);
    },
  }));
}
