import type { CompileTools, PathPattern, Pointer, SplitPath } from '@backlot/core/plugin';
import { plainRecord } from '@backlot/kit/http';
import type { RequestFields } from '../schemas/request.js';
import { pointer } from './conditions.js';

/** The paths a mock answers: `main` is the one to index it by, `also` must hold too. */
export interface PathCondition {
  readonly main: PathPattern;
  readonly also: PathPattern | undefined;
}

/** Compiles `path` and `path_regex`; with both, both must hold. */
export function compilePath(request: RequestFields, tools: CompileTools, at: Pointer): PathCondition {
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
  if (request.path_regex === undefined || request.path_regex === '') return { main, also: undefined };
  const regex = tools.path(`re:${request.path_regex}`, pointer(at, 'path_regex'));
  return source === '' || source === '*' ? { main: regex, also: undefined } : { main, also: regex };
}

/** Reads the captures of a path that matches, `undefined` when there are none. */
export function compileCaptures({
  main,
  also,
}: PathCondition): ((path: SplitPath) => Readonly<Record<string, string>>) | undefined {
  if (also !== undefined && hasCaptures(also))
    return (path) => Object.assign(also.params(path), main.params(path));
  if (!hasCaptures(main)) return undefined;
  const whole = main.segments.flatMap((segment, index) =>
    segment.type === 'param' ? [{ name: segment.name, index }] : [],
  );
  const hasOthers = main.regex || main.segments.some(({ type }) => type === 'pattern');
  if (hasOthers) return (path) => main.params(path);
  // The common case, once per request: whole segments, read straight into the quick form of record.
  return ({ segments }) => {
    const params = plainRecord<string>();
    for (const { name, index } of whole) params[name] = segments[index] ?? '';
    return params;
  };
}

function hasCaptures(path: PathPattern): boolean {
  if (path.regex) return path.source.includes('(?');
  if (path.exact !== undefined) return false;
  return path.segments.some(({ type }) => type === 'param' || type === 'pattern');
}
