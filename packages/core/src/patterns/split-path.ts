/** A path of a request; its parts are computed when they are first read. */
export interface SplitPath {
  /** The path as it was received, without a query. */
  readonly raw: string;
  /** A text that is equal for two paths exactly when their segments are equal. */
  readonly key: string;
  /** The decoded segments; `/a/` has the segments `a` and an empty one, `/` only an empty one. */
  readonly segments: readonly string[];
  /** The whole decoded path, with a leading slash. */
  readonly text: string;
  /** The path after its leading slash when nothing in it is escaped, so that it can be cut instead of taken apart. */
  readonly plain: string | undefined;
}

/**
 * Takes a path apart. Each segment is percent-decoded once, so `%2F` stays inside its segment; a malformed escape
 * stays as it is. A leading slash may be missing, and an empty path is `/`.
 */
export function splitPath(rawPath: string): SplitPath {
  return new LazyPath(rawPath);
}

/** The {@link SplitPath.key} of decoded segments. */
export function pathKey(segments: readonly string[]): string {
  let key = '';
  for (const segment of segments) {
    // "%" and "/" inside a segment stay escaped, so that the key is one-to-one.
    key += `/${/[%/]/.test(segment) ? segment.replaceAll('%', '%25').replaceAll('/', '%2F') : segment}`;
  }
  return key;
}

/** Percent-decodes one segment; text whose escapes are malformed or not UTF-8 comes back as it is. */
export function decodeSegment(text: string): string {
  if (!text.includes('%')) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

class LazyPath implements SplitPath {
  private parts: readonly string[] | undefined;
  private madeKey: string | undefined;

  constructor(readonly raw: string) {}

  get segments(): readonly string[] {
    if (this.parts === undefined) {
      const parts = (this.raw.startsWith('/') ? this.raw.slice(1) : this.raw).split('/');
      this.parts = this.raw.includes('%') ? parts.map(decodeSegment) : parts;
    }
    return this.parts;
  }

  get plain(): string | undefined {
    if (this.raw.includes('%')) {
      return undefined;
    }
    return this.raw.startsWith('/') ? this.raw.slice(1) : this.raw;
  }

  get key(): string {
    if (this.madeKey === undefined) {
      if (this.raw.includes('%')) {
        this.madeKey = pathKey(this.segments);
      } else {
        this.madeKey = this.raw.startsWith('/') ? this.raw : `/${this.raw}`;
      }
    }
    return this.madeKey;
  }

  get text(): string {
    return this.raw.includes('%') ? `/${this.segments.join('/')}` : this.key;
  }
}
