import type { ServerResponse } from 'node:http';
import type { Connection } from '../connection.js';
import type { HttpAnswer } from './answer.js';
import { discardBody, type BodySource } from './read-body.js';

/** How long a client whose body is too large may go on sending, in ms. */
const LINGER = 2000;

/**
 * Answers an HTTP/1.1 request whose body is refused, and goes on reading for a while: closing while the client still
 * sends would reset the connection, and the client might not see the answer.
 *
 * @param answer - the answer, which should have `Connection: close`
 */
export function refuseLargeBody(
  request: BodySource,
  response: ServerResponse,
  answer: HttpAnswer,
  connection: Connection,
): void {
  response.writeHead(answer.status, answer.head.flat as string[]);
  response.write(answer.body ?? '');
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    timer.cancel();
    response.end();
  };
  const timer = connection.after(LINGER, end);
  discardBody(request, end);
}
