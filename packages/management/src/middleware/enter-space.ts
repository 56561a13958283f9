import type { Host } from '@backlot/core';
import { BacklotError } from '@backlot/core/plugin';
import type { Request, RequestHandler } from 'express';

/** The host of the space that a request is meant for. */
const hosts = new WeakMap<Request, Host>();

/** What a request acts on: the space that it names, else this host. */
export function hostOf(request: Request, host: Host): Host {
  return hosts.get(request) ?? host;
}

/**
 * Lets requests below `/spaces/{id}/`, and those with the header `Backlot-Space`, act on that space. The routes of spaces
 * themselves are those of the host.
 */
export function enterSpace({ spaces }: Host): RequestHandler {
  return (request, response, next) => {
    const [, inPath, rest = '/'] = /^\/spaces\/([^/?#]+)(\/[^?#].*)$/.exec(request.url) ?? [];
    const id = inPath === undefined ? request.get('backlot-space') : decodeURIComponent(inPath);
    const isOfSpaces = /^\/spaces(?:[/?#]|$)/.test(inPath === undefined ? request.url : rest);
    if (id === undefined || (inPath === undefined && isOfSpaces)) {
      next();
      return;
    }
    const space = spaces.get(id);
    if (isOfSpaces)
      throw new BacklotError('not_found', 'a space has no spaces of its own; they are at /api/spaces');
    if (inPath !== undefined) request.url = rest;
    hosts.set(request, space.host);
    space.use();
    const forget = space.onEnd(() => response.destroy());
    response.once('close', () => {
      forget();
      space.use();
    });
    next();
  };
}
