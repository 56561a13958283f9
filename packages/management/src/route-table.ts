import type { ManagementRoute } from './routes/management-route.js';

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly routes: Map<string, Mounted>;
}

interface Mounted {
  readonly route: ManagementRoute;
  /** The parameters and the places of their segments. */
  readonly parameters: readonly { readonly name: string; readonly at: number }[];
}

/** What a path and a method lead to. */
export interface Found {
  readonly route: ManagementRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds routes by path; a literal segment goes before a parameter, and the cost does not grow with the routes. */
export class RouteTable {
  readonly #root = createNode();
  readonly #names = new Set<string>();

  /** @throws TypeError when two routes have the same method and path, or the same name */
  constructor(routes: readonly ManagementRoute[]) {
    for (const route of routes) this.#add(route);
  }

  /** The route of a path, or the methods that the path has when it lacks this one (none: no such path). */
  find(method: string, segments: readonly string[]): Found | { readonly allowed: readonly string[] } {
    const nodes: Node[] = [];
    collect(this.#root, segments, 0, nodes);
    for (const node of nodes) {
      const mounted = node.routes.get(method);
      if (mounted !== undefined) return { route: mounted.route, params: readParams(mounted, segments) };
    }
    return { allowed: [...new Set(nodes.flatMap((node) => [...node.routes.keys()]))] };
  }

  #add(route: ManagementRoute): void {
    if (this.#names.has(route.name)) {
      throw new TypeError(`two routes are named ${route.name}; a plugin must choose another name`);
    }
    this.#names.add(route.name);
    let node = this.#root;
    const parameters: { name: string; at: number }[] = [];
    for (const [at, segment] of route.path.split('/').slice(1).entries()) {
      const name = parameterOf(segment);
      if (name === undefined) {
        const next = node.literals.get(segment) ?? createNode();
        node.literals.set(segment, next);
        node = next;
      } else {
        parameters.push({ name, at });
        node.parameter ??= createNode();
        node = node.parameter;
      }
    }
    if (node.routes.has(route.method)) {
      throw new TypeError(
        `two routes answer ${route.method} ${route.path}; a plugin must choose another path`,
      );
    }
    node.routes.set(route.method, { route, parameters });
  }
}

/** The name in `{name}`; `undefined` for a literal segment. */
export function parameterOf(segment: string): string | undefined {
  return /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(segment)?.[1];
}

function createNode(): Node {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

function collect(node: Node, segments: readonly string[], index: number, found: Node[]): void {
  const segment = segments[index];
  if (segment === undefined) {
    if (node.routes.size > 0) found.push(node);
    return;
  }
  const literal = node.literals.get(segment);
  if (literal !== undefined) collect(literal, segments, index + 1, found);
  if (node.parameter !== undefined && segment !== '') collect(node.parameter, segments, index + 1, found);
}

function readParams(mounted: Mounted, segments: readonly string[]): Readonly<Record<string, string>> {
  const params = Object.create(null) as Record<string, string>;
  for (const { name, at } of mounted.parameters) params[name] = segments[at] ?? '';
  return params;
}
