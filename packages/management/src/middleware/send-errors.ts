import type { ErrorRequestHandler } from 'express';
import { asError, sendError, sendJson } from '../answer/send.js';
import type { Settings } from '../options.js';
import { dropRest, expectsContinue } from '../safety/read-body.js';

/** Answers what was thrown as JSON: `{"error": ...}` with the status of the error. */
export function sendErrors({ onError }: Settings): ErrorRequestHandler {
  // Express knows a handler of errors by its four parameters.
  return (thrown: unknown, request, response, _next) => {
    const shown = isShown(thrown);
    const { error, isInternal } = asError(thrown);
    if (isInternal && !shown) onError(thrown, { method: request.method, path: request.originalUrl });
    if (response.destroyed) return;
    // Whether the body still comes is up to the client then, so the next request could not be told from it.
    if (expectsContinue(request) && !request.complete) response.shouldKeepAlive = false;
    if (shown && !response.headersSent) sendJson(response, thrown.status, { error: thrown.message });
    else sendError(response, error);
    dropRest(request);
  };
}

/** Whether an error has a status of 4xx that may be shown, as those of Express and its body parsers have. */
function isShown(thrown: unknown): thrown is Error & { readonly status: number } {
  if (!(thrown instanceof Error) || !('expose' in thrown) || thrown.expose !== true) return false;
  return (
    'status' in thrown && typeof thrown.status === 'number' && thrown.status >= 400 && thrown.status < 500
  );
}
