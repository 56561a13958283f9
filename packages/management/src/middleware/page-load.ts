import { BacklotError } from '@backlot/core/plugin';
import type { Request, RequestHandler } from 'express';
import type { ManagementRoute } from '../routes/management-route.js';

/**
 * What browsers send when a user follows a link: a GET changes nothing, and the page with the link cannot read the
 * answer.
 */
export function isPageLoad({ method, headers }: Request): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
}

/**
 * Refuses requests of a browser that follows a link of another site to something that is not a page: such links serve
 * no person, and a log stream or a long list costs the server something. Links to a page pass; a frame that shows it is
 * refused. Another server of this machine does not count as another site, and may link to everything but streams.
 */
export function pageLoadCheck(route: ManagementRoute, allowed: ReadonlySet<string>): RequestHandler {
  return (request, _response, next) => {
    checkPageLoad(request, route, allowed);
    next();
  };
}

function checkPageLoad(request: Request, route: ManagementRoute, allowed: ReadonlySet<string>): void {
  const { 'sec-fetch-site': site, 'sec-fetch-dest': target = 'document' } = request.headers;
  const isForeign = site === 'cross-site' || site === 'same-site';
  if (!isForeign || !isPageLoad(request) || allowed.has('*')) return;
  const type = route.responses[200]?.contentType;
  const isPage = type === 'text/html';
  const isLinkable = isPage || (site === 'same-site' && type !== 'text/event-stream');
  if (isLinkable && target === 'document') return;
  throw new BacklotError(
    'forbidden',
    isLinkable
      ? `Sec-Fetch-Dest ${JSON.stringify(String(target).slice(0, 200))} is not allowed: pages of other sites may link here, and hold nothing of this interface`
      : `Sec-Fetch-Site ${JSON.stringify(site)} is not allowed here: other sites may link to ${request.baseUrl}/docs; open this address by itself`,
  );
}
