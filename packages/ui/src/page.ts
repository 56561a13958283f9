import type { IncomingMessage, ServerResponse } from 'node:http';
import { readPageFiles, type PageFile } from './page-files.js';

/** Answers a request, or hands it on: a handler of Express, and of whatever calls handlers in the same way. */
export type PageHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * What the page may load: its own files alone. Nothing in it makes elements out of text (`require-trusted-types-for`), and what
 * others have sent as HTML is in a frame of its own.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** A year: the name of a file has the hash of its content. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Makes what answers GET and HEAD of the page at `/` and of its files below `/ui/`, which are read once, and leads `/api/docs` to its
 * view of the interface; everything else is handed on. The page asks for all else by the management API of the same server, at `/api`.
 *
 * @throws Error when the package was not built
 */
export function createPage(): PageHandler {
  const files = readPageFiles();
  return (request, response, next) => {
    const { method, url = '/' } = request;
    const path = url.replace(/[?#].*$/s, '');
    const reads = method === 'GET' || method === 'HEAD';
    if (path === '/api/docs' && reads) {
      // Relative, so that it leads to the page also where an application has mounted it below a path.
      response.writeHead(302, { Location: '../#/api', 'Cache-Control': 'no-cache' }).end();
      return;
    }
    const file = files.get(path);
    if (file === undefined || !reads) next();
    else send(file, request, response);
  };
}

function send(file: PageFile, request: IncomingMessage, response: ServerResponse): void {
  const packs = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const bytes = packs ? file.packed() : file.bytes;
  response.statusCode = 200;
  response.setHeader('Content-Type', file.type);
  response.setHeader('Content-Length', bytes.byteLength);
  response.setHeader('Cache-Control', file.isHashed ? FOREVER : 'no-cache');
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Vary', 'Accept-Encoding');
  if (packs) response.setHeader('Content-Encoding', 'gzip');
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
