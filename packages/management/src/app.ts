import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Host } from '@backlot/core';
import express, { type NextFunction } from 'express';
import { asError, sendError } from './answer/send.js';
import { createDispatcher } from './dispatcher.js';
import { completeOptions, type ManagementOptions } from './options.js';
import { RouteTable } from './route-table.js';
import { createManagementRouter } from './router.js';
import { setSafeHeaders } from './safety/safe-headers.js';
import { SERVER_LIMITS, guardServer } from './safety/server-limits.js';

/** Makes the whole application of the management port: the router, and JSON errors for everything else. */
export function createManagementApp(host: Host, options: ManagementOptions = {}): RequestListener {
  const settings = completeOptions(options);
  const refuseAll = createDispatcher(host, new RouteTable([]), settings);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.use(createManagementRouter(host, options));
  app.use((request: IncomingMessage, response: ServerResponse) => void refuseAll(request, response));
  // Express knows an error handler by its four parameters.
  app.use((thrown: unknown, request: IncomingMessage, response: ServerResponse, _next: NextFunction) => {
    setSafeHeaders(response);
    settings.onError(thrown, { method: request.method ?? '', path: request.url ?? '' });
    sendError(response, asError(thrown).error);
  });
  return app as RequestListener;
}

/**
 * Makes the server of the management port with its limits. It listens when told to, or is handed connections by
 * emitting `connection`; then `close` still ends its time-outs, and calls back with `ERR_SERVER_NOT_RUNNING`.
 */
export function createManagementServer(host: Host, options: ManagementOptions = {}): Server {
  const server = createServer(SERVER_LIMITS, createManagementApp(host, options));
  guardServer(server);
  // Node starts to look for clients that are too slow on this event, which never comes when others listen.
  server.emit('listening');
  return server;
}
