import type { RequestHandler } from 'express';
import { checkBodyHeaders } from '../safety/read-body.js';

/** Refuses a body by its headers alone: one that announces too many bytes, or that is compressed. */
export function bodyHeaders(most: number, takesGzip = false): RequestHandler {
  return (request, _response, next) => {
    checkBodyHeaders(request, most, takesGzip);
    next();
  };
}
