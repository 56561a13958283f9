import { BacklotError } from '@backlot/core/plugin';
import type { Request, RequestHandler } from 'express';
import type { ManagementRoute } from '../routes/management-route.js';

/** Following a link: nothing is changed by a GET, and the page that held the link cannot read the answer. */
export function isPageLoad({ method, headers }: Request): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
}

/**
 * Refuses a link that another site has to something that is no page: nobody has such a link for people, and a log stream
 * or a long list costs the server something. A page may be linked to, and not be framed. Another server of this machine is
 * no other site, and may link to all but streams.
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
