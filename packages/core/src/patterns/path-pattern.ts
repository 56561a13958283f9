import { invalid } from '../errors.js';
import type { CompileBudget } from '../validation/compile-budget.js';
import { compileRegex } from './regex.js';
import { compileSegment, type PathSegment } from './path-segment.js';
import { pathKey, type SplitPath } from './split-path.js';

export { PathTree } from './path-tree.js';
export { splitPath, type SplitPath } from './split-path.js';
export type { PathSegment } from './path-segment.js';

/**
 * A compiled path pattern. It is a list of segments: `*` matches any one segment, `{name}` matches one and captures it,
 * and both may be a part of a segment (`v*`, `{id}.json`). A trailing `/*` matches the path before it and everything
 * below. `*` alone matches every path; `re:` starts a regular expression over the whole decoded path.
 */
export interface PathPattern {
  readonly source: string;
  /** The segments before a trailing `/*`; empty for a regular expression. */
  readonly segments: readonly PathSegment[];
  /** Whether every path below the segments matches, too. */
  readonly tail: boolean;
  /** The {@link SplitPath.key} of the only path that can match; `undefined` when there may be several. */
  readonly exact: string | undefined;
  /** Whether this is a regular expression, which no index over segments can hold. */
  readonly regex: boolean;
  test(path: SplitPath): boolean;
  /** The captures of a path that matches, in an object without a prototype. */
  params(path: SplitPath): Record<string, string>;
  /** Why a path did not match. */
  reason(path: SplitPath): string;
}

const MAX_LENGTH = 10_000;

/**
 * Compiles a path pattern. A leading slash may be left out; an empty source takes every path.
 *
 * @throws invalid for a bad regular expression, braces that hold no name, a name used twice, and a source beyond
 * 10,000 characters
 */
export function compilePathPattern(source: string, budget?: CompileBudget): PathPattern {
  if (source.length > MAX_LENGTH) {
    throw invalid(`path of ${source.length} characters is too long; at most ${MAX_LENGTH} are allowed`);
  }
  return source.startsWith('re:') ? regexPath(source, budget) : segmentPath(source);
}

function regexPath(source: string, budget: CompileBudget | undefined): PathPattern {
  const regex = compileRegex(source.slice(3), { budget });
  return {
    source,
    segments: [],
    tail: false,
    exact: undefined,
    regex: true,
    test: (path) => regex.test(path.text),
    params: (path) => regex.match(path.text)?.groups ?? noParams(),
    reason: (path) => reasonFor(source, path),
  };
}

function segmentPath(source: string): PathPattern {
  const { segments, tail } = readSegments(source);
  const names = segments.flatMap(namesOf);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw invalid(
      `path ${JSON.stringify(source)} has the name {${twice}} twice; give each capture its own name`,
    );
  }
  const literals = segments.flatMap((segment) => (segment.type === 'literal' ? [segment.text] : []));
  return !tail && literals.length === segments.length
    ? new ExactPath(source, pathKey(literals))
    : new SegmentsPath(source, segments, tail, names.length > 0);
}

function readSegments(source: string): Pick<PathPattern, 'segments' | 'tail'> {
  const parts = source === '' ? ['*'] : (source.startsWith('/') ? source.slice(1) : source).split('/');
  const last = parts.at(-1);
  const tail = last === '*' || last === '**';
  return { segments: (tail ? parts.slice(0, -1) : parts).map((part) => compileSegment(part, source)), tail };
}

/** A path without stars and names. Most mocks have one: it is a class, and keeps nothing that can be made of its source. */
class ExactPath implements PathPattern {
  constructor(
    readonly source: string,
    readonly exact: string,
  ) {}

  get segments(): readonly PathSegment[] {
    return readSegments(this.source).segments;
  }

  get tail(): boolean {
    return false;
  }

  get regex(): boolean {
    return false;
  }

  test(path: SplitPath): boolean {
    return path.key === this.exact;
  }

  params(): Record<string, string> {
    return noParams();
  }

  reason(path: SplitPath): string {
    return reasonFor(this.source, path);
  }
}

/** A path with stars or names. */
class SegmentsPath implements PathPattern {
  readonly exact = undefined;
  readonly regex = false;

  constructor(
    readonly source: string,
    readonly segments: readonly PathSegment[],
    readonly tail: boolean,
    private readonly hasNames: boolean,
  ) {}

  test(path: SplitPath): boolean {
    return testSegments(this.segments, this.tail, path.segments);
  }

  params(path: SplitPath): Record<string, string> {
    return this.hasNames ? capture(this.segments, path.segments) : noParams();
  }

  reason(path: SplitPath): string {
    return reasonFor(this.source, path);
  }
}

/** Whether one segment of a path fits; a capture and `*` take no empty segment. */
export function testSegment(segment: PathSegment, text: string): boolean {
  switch (segment.type) {
    case 'literal':
      return segment.text === text;
    case 'pattern':
      return text !== '' && segment.pattern.test(text);
    default:
      return text !== '';
  }
}

function testSegments(segments: readonly PathSegment[], tail: boolean, path: readonly string[]): boolean {
  if (tail ? path.length < segments.length : path.length !== segments.length) {
    return false;
  }
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index];
    if (segment !== undefined && !testSegment(segment, path[index] ?? '')) {
      return false;
    }
  }
  return true;
}

function capture(segments: readonly PathSegment[], path: readonly string[]): Record<string, string> {
  const params = noParams();
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index];
    const text = path[index] ?? '';
    if (segment?.type === 'param') {
      params[segment.name] = text;
    } else if (segment?.type === 'pattern') {
      segment.pattern.capture(text, params);
    }
  }
  return params;
}

function namesOf(segment: PathSegment): readonly string[] {
  if (segment.type === 'param') {
    return [segment.name];
  }
  return segment.type === 'pattern' ? segment.pattern.names : [];
}

function noParams(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

function reasonFor(source: string, path: SplitPath): string {
  const shown = path.text.length > 200 ? `${path.text.slice(0, 200)}...` : path.text;
  return `path: got ${JSON.stringify(shown)}, want ${JSON.stringify(source)}`;
}
