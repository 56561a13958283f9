import type { RequestHandler } from 'express';
import { parseTarget, splitPath } from '../safety/request-target.js';

// RFC 3986, 2.3: letters, digits, "-", ".", "_" and "~".
const ESCAPED_UNRESERVED = /%(?:2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)/gi;

/**
 * Refuses a path that is too long, or that holds an escape that is none; and writes letters for their escapes, which mean
 * the same (RFC 3986, 6.2.2.2) though Express finds no route by them.
 */
export const pathCheck: RequestHandler = (request, _response, next) => {
  const { path } = parseTarget(request.originalUrl);
  splitPath(path);
  if (path.includes('%')) {
    request.url = request.url.replace(/^[^?#]*/, (text) =>
      text.replaceAll(ESCAPED_UNRESERVED, decodeURIComponent),
    );
  }
  next();
};
