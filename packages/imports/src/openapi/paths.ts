/** Paths in the order in which they are asked: a fixed segment before one that may be anything, as OpenAPI says. */
export function sortPaths(paths: readonly string[]): readonly string[] {
  const sorted = paths.map((path) => ({ path, rank: path.split('/').map(rankOf) }));
  return sorted.sort((a, b) => compare(a.rank, b.rank)).map(({ path }) => path);
}

function rankOf(segment: string): number {
  if (!segment.includes('{')) return 0;
  return /^\{[^{}]*\}$/.test(segment) ? 2 : 1;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A path template of OpenAPI as a pattern of a mock; `undefined` for what is none. */
export function pathPattern(template: string): string | undefined {
  const path = template.replace(/[?#].*$/, '');
  if (!path.startsWith('/') || path.length > 2000) return undefined;
  const names = new Set<string>();
  let isPath = true;
  const pattern = path.replaceAll(/\{([^{}/]*)\}/g, (_all, name: string) => {
    const plain = parameterName(name);
    if (plain === '' || names.has(plain)) isPath = false;
    names.add(plain);
    return `{${plain}}`;
  });
  // Two parameters need something between them, and a star would be one of ours.
  const rest = pattern.replaceAll(/\{[^{}/]*\}/g, '\u0001');
  return isPath && !/[{}*\s]|\u0001\u0001/.test(rest) ? pattern : undefined;
}

/** The name of a path parameter as our patterns can have it. */
export function parameterName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_.-]/gu, '').replace(/^[^\p{L}_]+/u, '');
}
