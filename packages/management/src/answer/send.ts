import type { ServerResponse } from 'node:http';
import { BacklotError, isBacklotError, messageOf } from '@backlot/core/plugin';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers a JSON value. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body ?? null), JSON_TYPE);
}

/** Answers a text; of a HEAD request only the headers are sent. */
export function sendText(response: ServerResponse, status: number, text: string, contentType: string): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(text);
}

/** Answers an error: `{"error": ...}`, its details and further fields. */
export function sendError(response: ServerResponse, error: BacklotError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.code === 'unauthorized') response.setHeader('WWW-Authenticate', 'Bearer realm="backlot"');
  sendJson(response, error.status, {
    ...error.fields,
    error: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

/** What was thrown, as an error for the client, and whether it is our own fault. */
export function asError(thrown: unknown): { readonly error: BacklotError; readonly isInternal: boolean } {
  if (isBacklotError(thrown)) return { error: thrown, isInternal: thrown.code === 'internal' };
  const error = new BacklotError('internal', `internal error: ${messageOf(thrown)}`, { cause: thrown });
  return { error, isInternal: true };
}
