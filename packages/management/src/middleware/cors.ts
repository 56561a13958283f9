import type { Request, RequestHandler, Response } from 'express';

/**
 * Lets the pages of listed origins read answers, and answers their browsers' question before the real request (the
 * preflight of the Fetch standard, 3.2.2).
 */
export function cors(allowed: ReadonlySet<string>): RequestHandler {
  return (request, response, next) => {
    response.vary('Origin');
    const { origin } = request.headers;
    if (origin === undefined || !isListed(origin, allowed)) {
      next();
      return;
    }
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', 'Allow, Backlot-Warning, WWW-Authenticate');
    if (isPreflight(request)) answerPreflight(request, response);
    else next();
  };
}

/** Whether an origin is listed; `*` lists all. */
export function isListed(origin: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has('*') || allowed.has(origin.toLowerCase());
}

function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

function answerPreflight(request: Request, response: Response): void {
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, Last-Event-ID');
  response.setHeader('Access-Control-Max-Age', '600');
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('Access-Control-Allow-Private-Network', 'true');
  }
  response.statusCode = 204;
  response.end();
}
