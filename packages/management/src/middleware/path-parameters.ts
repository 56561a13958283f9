import { invalid, type Route } from '@backlot/core/plugin';
import type { RequestHandler } from 'express';
import { problemsOfText } from '../safety/check-value.js';

/** Checks `request.params` against the schemas that a route has for them. */
export function pathParameters(params: NonNullable<Route['params']>): RequestHandler {
  const schemas = Object.entries(params);
  return (request, _response, next) => {
    for (const [name, schema] of schemas) {
      const [problem] = problemsOfText(schema, String(request.params[name] ?? ''));
      if (problem !== undefined)
        throw invalid(`${name} ${problem.message}`, [{ path: `/${name}`, message: problem.message }]);
    }
    next();
  };
}
