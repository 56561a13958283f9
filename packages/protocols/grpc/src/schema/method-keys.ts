const MAX_KNOWN = 10_000;
const known = new Map<string, MethodName>();

/** What is known of the path of a method. */
export interface MethodName {
  /** The path, as one text for all calls of the method: that of a call would be a string outside of the heap. */
  readonly path: string;
  /** The last part of it. */
  readonly short: string;
  /** See {@link methodKeys}. */
  readonly keys: readonly string[];
}

/** Reads a path, once for all calls of its method. */
export function methodName(path: string): MethodName {
  let name = known.get(path);
  if (name === undefined) {
    name = { path, short: path.slice(path.lastIndexOf('/') + 1), keys: splitPath(path) };
    // Clients may ask for any number of methods that are not there.
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(path, name);
  }
  return name;
}

/**
 * The names by which mocks may call the method of a path `/package.Service/Method`: `package.Service/Method`,
 * `Service/Method` and `Method`.
 */
export function methodKeys(path: string): readonly string[] {
  return methodName(path).keys;
}

/** A mock's `method` as a key: without the slash that it may begin with. */
export function keyOf(method: string): string {
  return method.startsWith('/') ? method.slice(1) : method;
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
