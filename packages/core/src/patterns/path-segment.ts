import { invalid } from '../errors.js';
import { Glob } from './glob.js';
import { decodeSegment } from './split-path.js';

/** One segment of a path pattern. */
export type PathSegment =
  | { readonly type: 'literal'; readonly text: string }
  | { readonly type: 'any' }
  | { readonly type: 'param'; readonly name: string }
  | { readonly type: 'pattern'; readonly pattern: SegmentPattern };

/** A segment with stars or captures between literal texts, such as `v*` or `{id}.json`. */
export interface SegmentPattern {
  readonly source: string;
  /** The names of its captures, in order. */
  readonly names: readonly string[];
  test(text: string): boolean;
  /** Writes the captures of a segment that matches to `params`, which must have no prototype. */
  capture(text: string, params: Record<string, string>): void;
}

const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/**
 * Compiles one segment.
 *
 * @param path - the whole source, for messages
 * @throws invalid when braces hold no name, or two gaps have no text between them
 */
export function compileSegment(source: string, path: string): PathSegment {
  if (source === '*' || source === '**') {
    return { type: 'any' };
  }
  const { literals, gaps } = takeApart(source, path);
  const [first] = gaps;
  if (first === undefined) {
    return { type: 'literal', text: literals[0] ?? '' };
  }
  if (gaps.length === 1 && first !== '' && literals.every((literal) => literal === '')) {
    return { type: 'param', name: first };
  }
  const glob = new Glob(
    literals,
    gaps.map((name) => (name === '' ? 0 : 1)),
  );
  const names = gaps.filter((name) => name !== '');
  const pattern: SegmentPattern = {
    source,
    names,
    test: (text) => glob.test(text),
    capture(text, params) {
      const found: string[] = [];
      if (names.length > 0 && glob.test(text, found)) {
        gaps.forEach((name, index) => {
          if (name !== '') {
            params[name] = found[index] ?? '';
          }
        });
      }
    },
  };
  return { type: 'pattern', pattern };
}

/** Literal texts, decoded, and between them the names of the gaps; a star has the name `""`. */
function takeApart(source: string, path: string): { literals: string[]; gaps: string[] } {
  const literals: string[] = [];
  const gaps: string[] = [];
  let literal = '';
  const closeWith = (name: string): void => {
    if (literal === '' && gaps.length > 0) {
      if (name === '' && gaps.at(-1) === '') {
        return;
      }
      throw invalid(
        `path ${JSON.stringify(path)}: the segment ${JSON.stringify(source)} needs text between its captures`,
      );
    }
    literals.push(decodeSegment(literal));
    gaps.push(name);
    literal = '';
  };
  for (const [part] of source.matchAll(/\\\*|\*|\{[^{}]*\}|[^*{}\\]+|[{}\\]/g)) {
    if (part === '\\*') {
      literal += '%2A';
    } else if (part === '*') {
      closeWith('');
    } else if (part.startsWith('{') || part === '}') {
      const name = part.slice(1, -1);
      if (!NAME.test(name)) {
        throw invalid(
          `path ${JSON.stringify(path)}: ${JSON.stringify(part)} is not a capture; write {name}, or %7B and %7D for braces`,
        );
      }
      closeWith(name);
    } else {
      literal += part;
    }
  }
  literals.push(decodeSegment(literal));
  return { literals, gaps };
}
