import { isIP } from 'node:net';
import { BacklotError, invalid } from '@backlot/core/plugin';
import type { Request, RequestHandler } from 'express';
import { parseTarget } from '../safety/request-target.js';

/**
 * Refuses a request whose `Host` could be a name that somebody else's name server points at this machine (DNS
 * rebinding): that takes a name with a dot, so IP literals, single-label names and `*.localhost` pass. A name that is not
 * allowed is `forbidden`; none, or more than one, is `invalid`.
 */
export function hostCheck(allowed: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    checkHost(request, allowed);
    next();
  };
}

/** The host that a request names: the authority of an absolute target takes the place of `Host` (RFC 9112, 3.2.2). */
export function hostOf(request: Request): string | undefined {
  return parseTarget(request.originalUrl).authority ?? request.headers.host;
}

function checkHost(request: Request, allowed: readonly string[]): void {
  const host = hostOf(request);
  if (countHosts(request.rawHeaders) > 1)
    throw invalid('the request has more than one Host header; send one');
  if (host === undefined || host === '') {
    // RFC 9112, 3.2: a HTTP/1.1 request without Host is answered with 400; HTTP/1.0 has none.
    if (request.httpVersion === '1.0' && host === undefined) return;
    throw invalid('the request has no Host header; send one, such as "Host: localhost"');
  }
  const name = nameOf(host);
  if (name === undefined || !isAllowed(name, allowed)) {
    throw new BacklotError(
      'forbidden',
      `Host ${JSON.stringify(host.slice(0, 200))} is not allowed; use localhost or an IP address, or list the name in api.allowed_hosts`,
    );
  }
}

/** The name in `name:port`, in lower case and without brackets; `undefined` when it is neither a name nor an address. */
function nameOf(host: string): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{1,5})?$/i.exec(host);
  return (found?.[1] ?? found?.[2])?.toLowerCase();
}

function isAllowed(name: string, allowed: readonly string[]): boolean {
  if (isIP(name) !== 0 || !name.includes('.')) return true;
  if (name.endsWith('.localhost')) return true;
  return allowed.some((entry) => {
    if (entry === '*') return true;
    return entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === (nameOf(entry) ?? entry);
  });
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
