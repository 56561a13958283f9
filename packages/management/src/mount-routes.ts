import type { Host } from '@backlot/core';
import type { Router } from 'express';
import { noteMethods } from './middleware/allowed-methods.js';
import { answerRoute, answerWithoutToken } from './middleware/answer-route.js';
import { bodyHeaders } from './middleware/body-headers.js';
import { jsonBody } from './middleware/json-body.js';
import { pageLoadCheck } from './middleware/page-load.js';
import { pathParameters } from './middleware/path-parameters.js';
import { queryParameters } from './middleware/query-parameters.js';
import { unlessToken, type TokenProblem } from './middleware/token-check.js';
import type { Settings } from './options.js';
import type { ManagementRoute } from './routes/management-route.js';
import type { RoutesOfPath } from './routes/mounting-order.js';
import { expressPath } from './routes/route-path.js';
import type { Mount } from './segment-routers.js';

/** What routes act on, and how. */
interface Mounting {
  readonly host: Host;
  readonly settings: Settings;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * What mounts routes at their methods and paths, on a router that is used at `/api`.
 *
 * @param mounting - with all paths: a route may ask for what another one does
 */
export function mountRoutes({
  host,
  settings,
  paths: all,
}: Mounting & { readonly paths: readonly RoutesOfPath[] }): Mount {
  const find = (name: string): ManagementRoute => {
    const found = all.flatMap(({ routes }) => routes).find((route) => route.name === name);
    if (found === undefined) throw new Error(`there is no route ${name}`);
    return found;
  };
  return (api, paths) => {
    for (const { path, routes } of paths) {
      const mounted = api.route(expressPath(path));
      for (const route of routes) {
        mounted[route.method.toLowerCase() as Method](
          pageLoadCheck(route, settings.allowedOrigins),
          bodyHeaders(settings.maxBodyBytes, route.takesGzip),
          ...(route.params === undefined ? [] : [pathParameters(route.params)]),
          queryParameters(route),
          ...(route.body === undefined ? [] : [jsonBody(route, route.body, settings.maxBodyBytes)]),
          answerRoute(route, host, settings, find),
        );
      }
    }
  };
}

/** Mounts what is answered without the token that all others need. */
export function mountOpenRoutes(
  api: Router,
  paths: readonly RoutesOfPath[],
  { host, settings, tokenProblem }: Mounting & { readonly tokenProblem: TokenProblem },
): void {
  for (const route of paths.flatMap(({ routes }) => routes)) {
    if (route.withoutToken === undefined) continue;
    api
      .route(expressPath(route.path))
      [route.method.toLowerCase() as Method](
        unlessToken(tokenProblem),
        pageLoadCheck(route, settings.allowedOrigins),
        queryParameters(route),
        answerWithoutToken(route, route.withoutToken, host, settings),
      );
  }
}

/** Notes what is possible at each path, for requests that no route has answered. */
export const mountMethods: Mount = (api, paths) => {
  for (const { path, routes } of paths) {
    api.all(expressPath(path), noteMethods(routes.map(({ method }) => method)));
  }
};
