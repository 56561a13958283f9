import type { TLSSocket } from 'node:tls';
import { BacklotError } from '@backlot/core/plugin';
import type { Request, RequestHandler } from 'express';
import { isListed } from './cors.js';
import { hostOf } from './host-check.js';
import { isPageLoad } from './page-load.js';

/**
 * Refuses what a foreign web page sends, as `forbidden`. Browsers name the page in `Origin` and its relation to us in
 * `Sec-Fetch-Site`; programs that are no browsers send neither.
 *
 * @param allowed - the origins that are not foreign
 */
export function originCheck(allowed: ReadonlySet<string>): RequestHandler {
  return (request, _response, next) => {
    checkOrigin(request, allowed);
    next();
  };
}

function checkOrigin(request: Request, allowed: ReadonlySet<string>): void {
  const origin = request.headers.origin;
  const site = request.headers['sec-fetch-site'];
  if (origin === undefined && site === undefined) return;
  if (origin !== undefined && isListed(origin, allowed)) return;
  if (origin !== undefined && !isOwn(request, origin)) {
    throw refuse(`Origin ${JSON.stringify(origin.slice(0, 200))}`);
  }
  if (site === undefined || site === 'none' || site === 'same-origin' || allowed.has('*')) return;
  if (origin === undefined && isPageLoad(request)) return;
  throw refuse(`Sec-Fetch-Site ${JSON.stringify(String(site).slice(0, 200))}`);
}

function isOwn(request: Request, origin: string): boolean {
  const host = hostOf(request);
  if (host === undefined) return false;
  const scheme = (request.socket as Partial<TLSSocket>).encrypted === true ? 'https://' : 'http://';
  return normalize(origin) === normalize(scheme + host);
}

/** Default ports left out, as `Origin` has them. */
function normalize(origin: string): string | undefined {
  try {
    const { origin: normal } = new URL(origin);
    return normal === 'null' ? undefined : normal;
  } catch {
    return undefined;
  }
}

function refuse(what: string): BacklotError {
  return new BacklotError(
    'forbidden',
    `${what} is not allowed: other web pages may not use this interface unless api.cors.allowed_origins lists them`,
  );
}
