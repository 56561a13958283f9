import type { Host } from '@backlot/core';
import express, { type Router } from 'express';
import { createDispatcher } from './dispatcher.js';
import { completeOptions, type ManagementOptions } from './options.js';
import { RouteTable } from './route-table.js';
import { allRoutes } from './routes/all-routes.js';

/**
 * Makes the Express router of a host's management interface, everything below `/api`; other paths are left to whoever
 * comes next. It checks `Host`, `Origin` and token by itself and reads bodies by itself.
 *
 * Routes are found in a table of their own, so that a request costs the same however many routes there are.
 *
 * @throws TypeError when plugins declare the same route twice
 */
export function createManagementRouter(host: Host, options: ManagementOptions = {}): Router {
  const dispatch = createDispatcher(host, new RouteTable(allRoutes(host, options)), completeOptions(options));
  const router = express.Router();
  router.use((request, response, next) => {
    if (isBelowApi(request.url)) void dispatch(request, response);
    else next();
  });
  return router;
}

function isBelowApi(target: string): boolean {
  const path = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return /^\/api(?:[/?#]|$)/.test(path);
}
