import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { BacklotError } from '@backlot/core/plugin';
import { isPageLoad } from './page-load.js';

/**
 * Refuses what a foreign web page sends. Browsers name the page in `Origin` and its relation to us in
 * `Sec-Fetch-Site`; programs that are no browsers send neither.
 *
 * @param host - the authority that the request names
 * @returns the origin when it is one of the allowed ones, which may then read the answer
 * @throws BacklotError `forbidden`
 */
export function checkOrigin(
  request: IncomingMessage,
  host: string | undefined,
  allowed: ReadonlySet<string>,
): string | undefined {
  const origin = request.headers.origin;
  const site = request.headers['sec-fetch-site'];
  if (origin === undefined && site === undefined) return undefined;
  if (origin !== undefined && isListed(origin, allowed)) return origin;
  if (origin !== undefined && !isOwn(request, origin, host)) {
    throw refuse(`Origin ${JSON.stringify(origin.slice(0, 200))}`);
  }
  if (site === undefined || site === 'none' || site === 'same-origin' || allowed.has('*')) return undefined;
  if (origin === undefined && isPageLoad(request)) return undefined;
  throw refuse(`Sec-Fetch-Site ${JSON.stringify(String(site).slice(0, 200))}`);
}

/** Whether an origin is listed; `*` lists all. */
function isListed(origin: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has('*') || allowed.has(origin.toLowerCase());
}

function isOwn(request: IncomingMessage, origin: string, host: string | undefined): boolean {
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
