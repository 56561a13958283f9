import { escapeRegex } from '../shared/answer.js';
import type { Tree } from '@backlot/contracts';

/** The path of a handler as the fields of a request, and whether it names a host. */
export interface HandlerPath {
  readonly request: Tree;
  readonly hasHost: boolean;
  readonly hasQuery: boolean;
  /** The path as it is written, for a name. */
  readonly name: string;
}

/** Reads a path of MSW: `:name` takes one segment, and `*` whatever there is; `undefined` for what is no path. */
export function handlerPath(given: string): HandlerPath | undefined {
  if (given.length > 2000 || /\s/.test(given)) return undefined;
  const isAny = given === '*';
  const url = /^(?:(?:[a-z*]+:)?\/\/[^/?#]*|\*(?=\/))(.*)$/is.exec(given);
  const path = isAny ? '/*' : (url?.[1] ?? given).replace(/[?#](?=.).*$/s, '');
  const rooted = path.startsWith('/') ? path : `/${path}`;
  const names = new Set<string>();
  const segments = rooted.slice(1).split('/');
  const pattern: string[] = [];
  let isPlain = true;
  for (const [index, segment] of segments.entries()) {
    const name = /^:([A-Za-z_]\w*)$/.exec(segment)?.[1];
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      pattern.push(`{${name}}`);
    } else if (segment === '*' && index === segments.length - 1) pattern.push('*');
    else if (/[*:{}()+?]/.test(segment)) isPlain = false;
    else pattern.push(decoded(segment));
  }
  const expression = isPlain ? undefined : pathRegex(rooted);
  if (!isPlain && expression === undefined) return undefined;
  return {
    request: isPlain ? { path: `/${pattern.join('/')}` } : { path_regex: expression },
    hasHost: url !== null && !given.startsWith('*'),
    hasQuery: !isAny && /[?#]./.test(url?.[1] ?? given),
    name: rooted,
  };
}

/** A path with stars and names within segments as an expression; what it is in braces and parentheses is not known. */
function pathRegex(path: string): string | undefined {
  const names = new Set<string>();
  let isKnown = true;
  const expression = path.replaceAll(
    /(\/?):([A-Za-z_]\w*)(\?|)|\*|[^:*/]+|[:/]/g,
    (all, slash: string | undefined, name: string | undefined, optional: string | undefined) => {
      if (all === '*') return '.*';
      if (name === undefined) {
        if (/[{}()+?]/.test(all)) isKnown = false;
        return escapeRegex(decoded(all));
      }
      if (names.has(name)) isKnown = false;
      names.add(name);
      const group = `(?P<${name}>[^/]+${slash === '' ? '?' : ''})`;
      return optional === '?' ? `(?:${slash ?? ''}${group})?` : `${slash ?? ''}${group}`;
    },
  );
  return isKnown ? `^${expression}/?$` : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURI(segment);
  } catch {
    return segment;
  }
}
