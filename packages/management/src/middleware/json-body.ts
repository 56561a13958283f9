import { invalid, type TSchema } from '@backlot/core/plugin';
import type { Request, RequestHandler, Response } from 'express';
import type { ManagementRoute } from '../routes/management-route.js';
import { checkBody } from '../safety/check-value.js';
import { parseJson } from '../safety/parse-json.js';
import { gunzipBody, hasBody, isGzip, readBody } from '../safety/read-body.js';

/**
 * Reads the body of a route that takes one into `request.body`, whatever its content type says, and checks it against the
 * route's schema. An empty body is `undefined` where the route allows that.
 *
 * @param most - the largest body in bytes
 */
export function jsonBody(
  { bodyOptional, hostChecksBody, takesBytes }: ManagementRoute,
  schema: TSchema,
  most: number,
): RequestHandler {
  return async (request, response, next) => {
    const body =
      takesBytes === true
        ? await readBytes(request, response, most)
        : await readJson(request, response, most);
    if (body === undefined && bodyOptional !== true)
      throw invalid(`the body is empty; send ${takesBytes === true ? 'a file' : 'a JSON value'}`);
    if (body !== undefined && hostChecksBody !== true) checkBody(schema, body);
    request.body = body;
    next();
  };
}

async function readBytes(request: Request, response: Response, most: number): Promise<unknown> {
  const parsed: unknown = request.body;
  if (request.readableEnded && parsed !== undefined) return parsed;
  if (!hasBody(request)) return undefined;
  const bytes = await readBody(request, response, most);
  if (bytes.length === 0) return undefined;
  return isGzip(request) ? gunzipBody(bytes, most) : bytes;
}

async function readJson(request: Request, response: Response, most: number): Promise<unknown> {
  // In a larger application a parser before this router may have read the body.
  const parsed: unknown = request.body;
  if (request.readableEnded && parsed !== undefined)
    return Buffer.isBuffer(parsed) ? await parseJson(parsed) : parsed;
  if (!hasBody(request)) return undefined;
  const bytes = await readBody(request, response, most);
  return bytes.length === 0 ? undefined : await parseJson(bytes);
}
