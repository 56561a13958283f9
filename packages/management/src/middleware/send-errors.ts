import type { ErrorRequestHandler } from 'express';
import { asError, sendError } from '../answer/send.js';
import type { Settings } from '../options.js';
import { dropRest, expectsContinue } from '../safety/read-body.js';

/** Answers what was thrown as JSON: `{"error": ...}` with the status of the error. */
export function sendErrors({ onError }: Settings): ErrorRequestHandler {
  // Express knows a handler of errors by its four parameters.
  return (thrown: unknown, request, response, _next) => {
    const { error, isInternal } = asError(thrown);
    if (isInternal) onError(thrown, { method: request.method, path: request.originalUrl });
    if (response.destroyed) return;
    // Whether the body still comes is up to the client then, so the next request could not be told from it.
    if (expectsContinue(request) && !request.complete) response.shouldKeepAlive = false;
    sendError(response, error);
    dropRest(request);
  };
}
