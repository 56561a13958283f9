import type { IncomingMessage } from 'node:http';
import type { BacklotError } from '@backlot/core/plugin';
import type { Settings } from '../options.js';
import { isPreflight, preflightHeaders, readHeaders } from './cors.js';
import { checkHost } from './host-check.js';
import { checkOrigin } from './origin-check.js';
import { createTokenCheck } from './token.js';

/** Who may come in. */
export interface Guard {
  /**
   * Checks `Host` and `Origin`.
   *
   * @returns headers for whatever is answered, or the whole answer to a preflight
   * @throws BacklotError `forbidden`, `invalid`
   */
  checkSender(request: IncomingMessage, authority: string | undefined): Admission;
  /** Why the token of a request is refused: an `unauthorized`; `undefined` when it is right, or none is asked for. */
  tokenProblem(request: IncomingMessage): BacklotError | undefined;
}

/** What a sender is allowed. */
export interface Admission {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request only asks for permission and has its answer in the headers. */
  readonly isPreflight: boolean;
}

const NOTHING: Admission = { headers: {}, isPreflight: false };

/** Makes the guard of an interface. */
export function createGuard(settings: Settings): Guard {
  const usual: Admission =
    settings.allowedOrigins.size === 0 ? NOTHING : { ...NOTHING, headers: { vary: 'Origin' } };
  return {
    checkSender(request, authority) {
      checkHost(request, settings.allowedHosts, authority);
      const origin = checkOrigin(request, authority ?? request.headers.host, settings.allowedOrigins);
      if (origin === undefined) return usual;
      const headers = readHeaders(origin);
      if (!isPreflight(request)) return { headers, isPreflight: false };
      return { headers: { ...headers, ...preflightHeaders(request) }, isPreflight: true };
    },
    tokenProblem: settings.token === undefined ? () => undefined : createTokenCheck(settings.token),
  };
}
