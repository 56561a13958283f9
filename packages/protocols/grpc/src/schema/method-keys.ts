const MAX_KNOWN = 10_000;
const known = new Map<string, readonly string[]>();

/**
 * The names by which mocks may call the method of a path `/package.Service/Method`: `package.Service/Method`,
 * `Service/Method` and `Method`.
 */
export function methodKeys(path: string): readonly string[] {
  let keys = known.get(path);
  if (keys === undefined) {
    keys = splitPath(path);
    // Clients may ask for any number of methods that are not there.
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(path, keys);
  }
  return keys;
}

/** A mock's `method` as a key: without the slash that it may begin with. */
export function keyOf(method: string): string {
  return method.startsWith('/') ? method.slice(1) : method;
}

/** The last part of a path. */
export function shortName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The service of a path, with its package. */
export function serviceName(path: string): string {
  return path.slice(path.startsWith('/') ? 1 : 0, Math.max(path.lastIndexOf('/'), 0));
}

function splitPath(path: string): readonly string[] {
  const whole = keyOf(path);
  const slash = whole.lastIndexOf('/');
  if (slash < 0) return [whole];
  const service = whole.slice(0, slash);
  const method = whole.slice(slash + 1);
  const dot = service.lastIndexOf('.');
  return dot < 0 ? [whole, method] : [whole, `${service.slice(dot + 1)}/${method}`, method];
}
