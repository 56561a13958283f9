import type { RequestHandler } from 'express';

/** What no answer lets a browser load, be framed by, or send on: an answer that is a page loosens it for itself. */
const SAFE_HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    'Content-Security-Policy',
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['X-Frame-Options', 'DENY'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

/** Sets the headers by which browsers keep other pages away from an answer. */
export const safeHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of SAFE_HEADERS) response.setHeader(name, value);
  next();
};
