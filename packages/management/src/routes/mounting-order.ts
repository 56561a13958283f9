import type { ManagementRoute } from './management-route.js';
import { parameterOf } from './route-path.js';

/** The routes of one path. */
export interface RoutesOfPath {
  readonly path: string;
  readonly routes: readonly ManagementRoute[];
}

/**
 * The routes by path, in an order in which the first that fits is the right one: a literal segment goes before a
 * parameter, so that `/api/logs/count` is no id.
 *
 * @throws TypeError when two routes have the same method and path, or the same name, or one is not below `/api`
 */
export function inMountingOrder(routes: readonly ManagementRoute[]): readonly RoutesOfPath[] {
  checkUnique(routes);
  const byPath = new Map<string, ManagementRoute[]>();
  for (const route of routes) {
    const others = byPath.get(route.path);
    if (others === undefined) byPath.set(route.path, [route]);
    else others.push(route);
  }
  return [...byPath]
    .map(([path, ofPath]) => ({ path, routes: ofPath, form: formOf(path) }))
    .sort((a, b) => (a.form < b.form ? -1 : a.form > b.form ? 1 : 0));
}

/** A digit per segment. Of paths that fit the same request, the one whose literals come earlier is the smaller text. */
function formOf(path: string): string {
  return path
    .split('/')
    .map((segment) => (isParameter(segment) ? '1' : '0'))
    .join('');
}

function checkUnique(routes: readonly ManagementRoute[]): void {
  const names = new Set<string>();
  const places = new Set<string>();
  for (const { name, method, path } of routes) {
    if (!path.startsWith('/api/')) {
      throw new TypeError(`the path of route ${name} is ${path}; the paths of routes begin with /api/`);
    }
    if (names.has(name))
      throw new TypeError(`two routes are named ${name}; a plugin must choose another name`);
    names.add(name);
    // What a parameter is called makes no other path.
    const place = `${method} ${path
      .split('/')
      .map((segment) => (isParameter(segment) ? '{}' : segment))
      .join('/')}`;
    if (places.has(place)) {
      throw new TypeError(`two routes answer ${method} ${path}; a plugin must choose another path`);
    }
    places.add(place);
  }
}

function isParameter(segment: string): boolean {
  return parameterOf(segment) !== undefined;
}
