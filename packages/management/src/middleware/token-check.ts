import { createHash, timingSafeEqual } from 'node:crypto';
import { BacklotError } from '@backlot/core/plugin';
import type { Request, RequestHandler } from 'express';
import type { Replication } from '../replication/replication.js';

/** Why the token of a request is refused, an `unauthorized`; `undefined` when it is right. */
export type TokenProblem = (request: Request) => BacklotError | undefined;

/** Refuses a request that does not carry the token. */
export function tokenCheck(problemOf: TokenProblem): RequestHandler {
  return (request, _response, next) => next(problemOf(request));
}

/** Leaves a route to the one that comes after {@link tokenCheck} when a request carries the token. */
export function unlessToken(problemOf: TokenProblem): RequestHandler {
  return (request, _response, next) => {
    if (problemOf(request) === undefined) next('route');
    else next();
  };
}

/**
 * Makes the check of the bearer token (RFC 6750); its time does not depend on how much of a guess is right.
 *
 * @param replication - says which requests are those of other replicas, which have no token
 */
export function createTokenProblem(token: string, replication?: Replication): TokenProblem {
  const expected = digest(token);
  return (request) => {
    const { method, originalUrl: path, headers } = request;
    const { authorization = '' } = headers;
    if (replication?.admits({ method, path, authorization }) === true) return undefined;
    const given = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (given === undefined) {
      return new BacklotError('unauthorized', 'a token is needed; send "Authorization: Bearer <token>"');
    }
    return timingSafeEqual(digest(given), expected)
      ? undefined
      : new BacklotError('unauthorized', 'the token is not the right one; send the value of api.token');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
