import { createServer, type RequestListener, type Server } from 'node:http';
import type { Host } from '@backlot/core';
import express, { type Express } from 'express';
import { notFound } from './middleware/not-found.js';
import { sendErrors } from './middleware/send-errors.js';
import { senderChecks } from './middleware/sender-checks.js';
import { createTokenProblem, tokenCheck } from './middleware/token-check.js';
import { completeOptions, type ManagementOptions } from './options.js';
import { ownMessages } from './own-messages.js';
import { createManagementRouter } from './router.js';
import { cutAuthority } from './safety/request-target.js';
import { SERVER_LIMITS, guardServer } from './safety/server-limits.js';

/** Makes the application of the management port: the router, and JSON errors for all other paths. */
export function createManagementApp(host: Host, options: ManagementOptions = {}): RequestListener {
  return listenerOf(createApp(host, options));
}

function createApp(host: Host, options: ManagementOptions): Express {
  const settings = completeOptions(options);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A page may have a view of the interface in place of the plain list that the router has.
  if (options.page !== undefined) app.get('/api/docs', senderChecks(settings), options.page);
  app.use(createManagementRouter(host, options));
  app.use(senderChecks(settings));
  if (options.page !== undefined) app.use(options.page);
  if (settings.token !== undefined)
    app.use(tokenCheck(createTokenProblem(settings.token, settings.replication)));
  if (options.beside !== undefined) app.use(options.beside);
  app.use(notFound('/api/docs'));
  app.use(sendErrors(settings));
  return app;
}

function listenerOf(app: Express): RequestListener {
  const answer = app as RequestListener;
  return (request, response) => {
    cutAuthority(request);
    answer(request, response);
  };
}

/**
 * Makes the server of the management port, with its limits. Call `listen`, or hand it connections by emitting
 * `connection`; in the latter case `close` ends its time-outs too, and calls back with `ERR_SERVER_NOT_RUNNING`.
 */
export function createManagementServer(host: Host, options: ManagementOptions = {}): Server {
  const app = createApp(host, options);
  const server = createServer({ ...SERVER_LIMITS, ...ownMessages(app) }, listenerOf(app));
  guardServer(server);
  // Node starts to look for clients that are too slow on this event, which never comes when others listen.
  server.emit('listening');
  return server;
}
