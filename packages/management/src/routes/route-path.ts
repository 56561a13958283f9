/** The name in `{name}`; `undefined` for a literal segment. */
export function parameterOf(segment: string): string | undefined {
  return /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(segment)?.[1];
}

/** The path of a route in the notation of Express, from `/api` on: `/api/state/{key}` is `/state/:key`. */
export function expressPath(path: string): string {
  return path
    .split('/')
    .slice(2)
    .map((segment) => {
      const name = parameterOf(segment);
      return name === undefined ? `/${segment.replaceAll(/[\\{}()[\]+?!:*]/g, '\\$&')}` : `/:${name}`;
    })
    .join('');
}
