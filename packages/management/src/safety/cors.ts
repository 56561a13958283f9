import type { IncomingMessage } from 'node:http';

/** The headers that let the page of an allowed origin read an answer. */
export function readHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Allow, WWW-Authenticate',
    vary: 'Origin',
  };
}

/** Whether a request is the browser's question before the real one. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

/** The headers that answer a preflight of an allowed origin. */
export function preflightHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, Last-Event-ID',
    'access-control-max-age': '600',
  };
  if (request.headers['access-control-request-private-network'] === 'true') {
    headers['access-control-allow-private-network'] = 'true';
  }
  return headers;
}
