import { BacklotError } from '@backlot/core/plugin';
import type { RequestHandler, Response } from 'express';
import { listNames } from '../routes/management-route.js';

/** Notes in `Allow` what is possible at a path; a request that comes here asked for something else. */
export function noteMethods(methods: readonly string[]): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('Allow', [...new Set([...notedMethods(response), ...methods])].join(', '));
    next();
  };
}

/** Answers 204 to OPTIONS, and 405 to every other method, where {@link noteMethods} has noted some. */
export const methodNotAllowed: RequestHandler = (request, response, next) => {
  const noted = notedMethods(response);
  if (noted.length === 0) {
    next();
    return;
  }
  const allowed = [...noted, ...(noted.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  response.setHeader('Allow', allowed.join(', '));
  if (request.method === 'OPTIONS') {
    response.statusCode = 204;
    response.end();
    return;
  }
  throw new BacklotError(
    'method_not_allowed',
    `${request.method} is not possible here; possible are ${listNames(allowed)}`,
  );
};

function notedMethods(response: Response): string[] {
  const { allow } = response.getHeaders();
  return typeof allow === 'string' ? allow.split(', ') : [];
}
