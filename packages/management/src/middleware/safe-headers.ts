import type { RequestHandler } from 'express';

/**
 * Headers that forbid browsers to load anything for an answer, to frame it, and to send its address on. A page sets
 * looser ones for itself.
 */
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

/** Sets headers that make browsers keep other pages away from an answer. */
export const safeHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of SAFE_HEADERS) response.setHeader(name, value);
  next();
};
