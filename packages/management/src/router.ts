import type { Host } from '@backlot/core';
import express, { type RequestHandler, type Router } from 'express';
import { methodNotAllowed } from './middleware/allowed-methods.js';
import { enterSpace } from './middleware/enter-space.js';
import { notFound, unknownKind } from './middleware/not-found.js';
import { sendErrors } from './middleware/send-errors.js';
import { senderChecks } from './middleware/sender-checks.js';
import { createTokenProblem, tokenCheck } from './middleware/token-check.js';
import { mountMethods, mountOpenRoutes, mountRoutes } from './mount-routes.js';
import { completeOptions, type ManagementOptions } from './options.js';
import { refuseIfMatch } from './replication/answer-replicated.js';
import { allRoutes } from './routes/all-routes.js';
import { inMountingOrder } from './routes/mounting-order.js';
import { EXACT, segmentRouters } from './segment-routers.js';

/**
 * Makes the Express router of a host's management API. It answers every request below `/api`, and passes other paths on
 * to the next handler. It checks senders and token and reads bodies itself, and may be mounted at the root of an
 * application or below a path.
 *
 * @throws TypeError when two routes are the same
 */
export function createManagementRouter(host: Host, options: ManagementOptions = {}): Router {
  const settings = completeOptions(options);
  const paths = inMountingOrder(allRoutes(host, options));

  const api = express.Router(EXACT);
  api.use(senderChecks(settings));
  if (settings.token !== undefined) {
    const tokenProblem = createTokenProblem(settings.token, settings.replication);
    mountOpenRoutes(api, paths, { host, settings, tokenProblem });
    api.use(tokenCheck(tokenProblem));
  }
  if (settings.replication === undefined) api.use(refuseIfMatch);
  api.use(enterSpace(host));
  api.use(unlessOptions(segmentRouters(paths, mountRoutes({ host, settings, paths }))));
  for (const handler of settings.use) api.use(handler);
  api.use(segmentRouters(paths, mountMethods));
  api.use(methodNotAllowed);
  api.use(
    ['/mocks/:kind', '/calls/:kind', '/fault/:kind', '/explain/:kind', '/schema/:kind', '/dry-run/:kind'],
    unknownKind(host),
  );
  api.use(notFound('/docs'));
  api.use(sendErrors(settings));

  const router = express.Router(EXACT);
  // Where Prometheus looks, unless it is told otherwise.
  router.all('/metrics', api);
  // Where exporters of OpenTelemetry send to, whose endpoint is this port.
  router.all('/v1/traces', api);
  router.use('/api', api);
  return router;
}

/** No route answers OPTIONS; the library would, with its own list, before others are asked. */
function unlessOptions(handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    if (request.method === 'OPTIONS') next();
    else void handler(request, response, next);
  };
}
