/** Where the upstream stands for clients that ask us. */
export interface OwnPlace {
  /** Whether clients call us by the name of the upstream itself, so that all stays as it is. */
  readonly isSame?: boolean;
  /** The path of the upstream's url, which clients leave out; empty for none. */
  readonly path: string;
  /** What clients of ours have to ask for where the upstream names a place; `undefined` for what stays as it is. */
  locate(location: string): string | undefined;
}

/** A header of an answer for clients that go on asking us: what leads to the upstream leads here. */
export function rewriteHeader(key: string, value: string, own: OwnPlace): string {
  if (own.isSame === true) return value;
  if (key === 'location' || key === 'content-location') return own.locate(value) ?? value;
  if (key !== 'set-cookie') return value;
  return value
    .replaceAll(/;\s*domain=[^;]*/gi, '')
    .replaceAll(
      /(;\s*path=)([^;]*)/gi,
      (_whole, name: string, path: string) => name + (below(own.path, path) ?? path),
    );
}

/** The rest of a path that is the base or below it, with its slash; `undefined` for another path. */
export function below(base: string, path: string): string | undefined {
  if (path !== base && !path.startsWith(`${base}/`)) return undefined;
  return path.slice(base.length) || '/';
}
