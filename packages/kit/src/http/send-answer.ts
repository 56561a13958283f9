import type { ServerResponse } from 'node:http';
import type { HttpAnswer } from './answer.js';

/** Sends a finished answer over HTTP/1.1. */
export function sendHttp1Answer(response: ServerResponse, { status, head, body }: HttpAnswer): void {
  response.writeHead(status, head.flat as string[]);
  if (body === undefined) response.end();
  else if (typeof body === 'string') response.end(body, 'latin1');
  else response.end(body);
}

/**
 * Announces the whole body of an HTTP/1.1 answer, sends its first bytes and drops the connection.
 *
 * @param later - calls back in a later turn of the event loop
 */
export function truncateHttp1Answer(
  response: ServerResponse,
  { status, head, body }: HttpAnswer,
  bytes: number,
  later: (drop: () => void) => unknown,
): void {
  response.writeHead(status, head.flat as string[]);
  const part = Buffer.from(body ?? '').subarray(0, bytes);
  const drop = (): void => void response.destroy();
  if (part.length > 0) {
    response.write(part, drop);
    return;
  }
  response.flushHeaders();
  later(drop);
}
