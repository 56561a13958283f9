import type { Host } from '@backlot/core';
import { BacklotError } from '@backlot/core/plugin';
import type { RequestHandler } from 'express';
import { listNames } from '../routes/management-route.js';
import { parseTarget, splitPath } from '../safety/request-target.js';

/** Answers 404 to a path with a `{kind}` that is not installed. */
export function unknownKind(host: Host): RequestHandler<{ kind: string }> {
  return ({ params: { kind } }, _response, next) => {
    const kinds = host.kinds.map((installed) => installed.kind);
    if (kinds.includes(kind)) next();
    else {
      next(
        new BacklotError(
          'not_found',
          `protocol ${quote(kind)} is not installed; installed are ${listNames(kinds)}`,
        ),
      );
    }
  };
}

/**
 * Answers 404 to everything.
 *
 * @param docs - where the page is, from the router that this is used in
 */
export function notFound(docs: string): RequestHandler {
  return ({ originalUrl, baseUrl }) => {
    const path = `/${splitPath(parseTarget(originalUrl).path).join('/')}`;
    throw new BacklotError(
      'not_found',
      `there is no ${quote(path)}; GET ${baseUrl}${docs} lists what there is`,
    );
  };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text);
}
