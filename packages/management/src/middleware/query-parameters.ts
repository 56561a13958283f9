import { invalid, type Problem } from '@backlot/core/plugin';
import type { RequestHandler } from 'express';
import { listNames, type ManagementRoute } from '../routes/management-route.js';
import { problemsOfText } from '../safety/check-value.js';
import { parseQuery, parseTarget } from '../safety/request-target.js';

/**
 * Reads the query parameters into `request.query`, an object of texts whatever the query parser of the application is, and
 * checks them against the declaration of a route: what it does not declare is refused with the names of those that it does.
 */
export function queryParameters({ query: declared = {} }: ManagementRoute): RequestHandler {
  const schemas = new Map(Object.entries(declared));
  const known = schemas.size === 0 ? 'this route takes none' : `known are ${listNames([...schemas.keys()])}`;
  return (request, _response, next) => {
    const given = parseQuery(parseTarget(request.originalUrl).search);
    const unknown = [...given.keys()].filter((name) => !schemas.has(name));
    if (unknown.length > 0) throw refuse(unknown, known);
    const query = Object.create(null) as Record<string, string>;
    for (const [name, schema] of schemas) {
      const text = given.get(name);
      if (text === undefined) continue;
      const [problem] = problemsOfText(schema, text);
      if (problem !== undefined) {
        throw invalid(`query parameter ${name} ${problem.message}`, [
          { path: `/${name}`, message: problem.message },
        ]);
      }
      query[name] = text;
    }
    // Express 5 has a getter in its place, without a setter.
    Object.defineProperty(request, 'query', { value: query, configurable: true, enumerable: true });
    next();
  };
}

function refuse(unknown: readonly string[], known: string): Error {
  const problems = unknown.map((name): Problem => {
    const short = name.length > 200 ? `${name.slice(0, 200)}...` : name;
    return {
      path: `/${short.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: `${JSON.stringify(short)} is not known here; ${known}`,
    };
  });
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return invalid(`query parameter ${problems[0]?.message ?? ''}${more}`, problems);
}
