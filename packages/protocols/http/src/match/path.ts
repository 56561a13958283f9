import type { CompileTools, PathPattern, Pointer, SplitPath } from '@backlot/core/plugin';
import type { RequestDefinition } from '../schemas.js';
import { pointer } from './conditions.js';

/** The paths a mock answers: `main` is the one to index it by, `also` must hold too. */
export interface PathCondition {
  readonly main: PathPattern;
  readonly also: PathPattern | undefined;
  /** Whether either has captures. */
  readonly captures: boolean;
}

/** Compiles `path` and `path_regex`; with both, both must hold. */
export function compilePath(request: RequestDefinition, tools: CompileTools, at: Pointer): PathCondition {
  const source = request.path ?? '';
  const place = pointer(at, 'path');
  if (!source.startsWith('re:') && source.includes('?')) {
    tools.problem(
      place,
      `path ${JSON.stringify(source)} holds a query; give the path alone here and its parameters in "query"` +
        ' (a question mark that is part of the path is written %3F)',
    );
  }
  const main = tools.path(source, place);
  if (request.path_regex === undefined || request.path_regex === '') {
    return { main, also: undefined, captures: hasCaptures(main) };
  }
  const regex = tools.path(`re:${request.path_regex}`, pointer(at, 'path_regex'));
  const captures = hasCaptures(main) || hasCaptures(regex);
  return source === '' || source === '*' ? { main: regex, also: undefined, captures } : { main, also: regex, captures };
}

/** The captures of a path that matches both. */
export function readCaptures(condition: PathCondition, path: SplitPath): Readonly<Record<string, string>> {
  const { main, also } = condition;
  return also === undefined ? main.params(path) : Object.assign(also.params(path), main.params(path));
}

function hasCaptures(path: PathPattern): boolean {
  if (path.regex) return path.source.includes('(?');
  return path.segments.some(({ type }) => type === 'param' || type === 'pattern');
}
