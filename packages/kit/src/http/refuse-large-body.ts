import type { ServerResponse } from 'node:http';
import type { Connection } from '../connection.js';
import type { HttpAnswer } from './answer.js';
import { discardBody, type BodySource } from './read-body.js';

/** How long a client whose body is too large may send nothing before it is taken to have read its answer, in ms. */
const MAX_SILENCE = 2000;
/** After so many spans of {@link MAX_SILENCE} the connection is closed, whatever the client still sends: 30 s. */
const MAX_SPANS = 15;

/**
 * Answers an HTTP/1.1 request whose body is refused, and goes on reading as long as the client sends, for 30 s at most:
 * closing while it sends would reset the connection, and the client might not see the answer.
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
  let isSilent = true;
  let spans = 0;
  const timer = connection.every(MAX_SILENCE, () => {
    spans += 1;
    if (isSilent || spans >= MAX_SPANS) end();
    isSilent = true;
  });
  // A body that does not decode may have come wholly.
  if (request.readableEnded) end();
  else discardBody(request, () => (isSilent = false), end);
}
