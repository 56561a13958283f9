import type { RequestHandler } from 'express';
import type { Settings } from '../options.js';
import { cors } from './cors.js';
import { hostCheck } from './host-check.js';
import { originCheck } from './origin-check.js';
import { pathCheck } from './path-check.js';
import { safeHeaders } from './safe-headers.js';

/** What every request goes through before anybody looks for its route: who sends it, and whether its path is one. */
export function senderChecks({ allowedHosts, allowedOrigins }: Settings): RequestHandler[] {
  return [
    safeHeaders,
    hostCheck(allowedHosts),
    originCheck(allowedOrigins),
    ...(allowedOrigins.size === 0 ? [] : [cors(allowedOrigins)]),
    pathCheck,
  ];
}
