import type { ServerResponse } from 'node:http';
import { BacklotError, isBacklotError, messageOf } from '@backlot/core/plugin';

/** The content type of JSON answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers a JSON value. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body ?? null), JSON_TYPE);
}

/** Answers the headers alone, as a HEAD request gets them where the length is not known (RFC 9110, 9.3.2). */
export function sendHead(response: ServerResponse, status: number, contentType: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
  response.end();
}

/** Answers a text, or bytes; of a HEAD request only the headers are sent. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string | Uint8Array,
  contentType: string,
): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Cache-Control', 'no-store');
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

/** What was thrown, as an error for the client, and whether it is a fault of the server. */
export function asError(thrown: unknown): { readonly error: BacklotError; readonly isInternal: boolean } {
  if (isBacklotError(thrown)) return { error: thrown, isInternal: thrown.code === 'internal' };
  const error = new BacklotError('internal', `internal error: ${messageOf(thrown)}`, { cause: thrown });
  return { error, isInternal: true };
}
