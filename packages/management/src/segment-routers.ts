import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
  type RouterOptions,
} from 'express';
import type { RoutesOfPath } from './routes/mounting-order.js';
import { parameterOf } from './routes/route-path.js';

/** Paths are compared exactly: `/API/health` and `/api/health/` are not `/api/health`. */
export const EXACT: RouterOptions = { caseSensitive: true, strict: true };

/** Mounts some paths on a router. */
export type Mount = (router: Router, paths: readonly RoutesOfPath[]) => void;

/** Stands for a segment that is a parameter; no segment of a path is called so. */
const ANY = '/';

/**
 * Passes a request on to the routes whose paths begin with the same two segments below `/api`. They are mounted when they
 * are first asked for: a start that mounted all, which are hundreds, would take longer, and each request would be compared
 * with all of them.
 *
 * @param paths - in the order in which they are to be tried: literal segments before parameters
 */
export function segmentRouters(paths: readonly RoutesOfPath[], mount: Mount): RequestHandler {
  const groups = new Map<string, Group>();
  for (const routes of paths) {
    const [, , first = '', second = ''] = routes.path.split('/').map(literalOf);
    const place = placeOf(first, second);
    const group = groups.get(place);
    if (group === undefined) groups.set(place, { paths: [routes] });
    else group.paths.push(routes);
  }
  const pass = (
    request: Request,
    response: Response,
    next: NextFunction,
    places: readonly string[],
  ): void => {
    const [place, ...others] = places;
    if (place === undefined) {
      next();
      return;
    }
    const rest: NextFunction = (error?: unknown) => {
      if (error === undefined) pass(request, response, next, others);
      else next(error);
    };
    const group = groups.get(place);
    if (group === undefined) rest();
    else void (group.router ??= mountedRouter(group.paths, mount))(request, response, rest);
  };
  return (request, response, next) => {
    const [, first = '', second = ''] = request.path.split('/', 3);
    const places = [placeOf(first, second), placeOf(first, ANY), placeOf(ANY, second), placeOf(ANY, ANY)];
    pass(request, response, next, places);
  };
}

interface Group {
  readonly paths: RoutesOfPath[];
  router?: Router;
}

function mountedRouter(paths: readonly RoutesOfPath[], mount: Mount): Router {
  const router = express.Router(EXACT);
  mount(router, paths);
  return router;
}

function literalOf(segment: string): string {
  return parameterOf(segment) === undefined ? segment : ANY;
}

function placeOf(first: string, second: string): string {
  return `${first} ${second}`;
}
