import { jsonAnswer, makeHeaders } from '@backlot/kit/http';
import { sendAnswer, type Incoming, type Outgoing } from './wire/outgoing.js';

/** Node bounds the size of the headers, which leaves room for very many short ones. */
const MAX_HEADERS = 2000;

/**
 * Refuses what is no proper request, before it becomes an exchange.
 *
 * @returns whether it was refused
 */
export function refuseRequest(request: Incoming, response: Outgoing): boolean {
  if (request.rawHeaders.length > 2 * MAX_HEADERS) {
    const count = request.rawHeaders.length / 2;
    refuse(request, response, 431, `${count} headers are too many; at most ${MAX_HEADERS} are taken`);
    return true;
  }
  if (hasOneHost(request.rawHeaders)) return false;
  refuse(request, response, 400, 'the request has more than one host header');
  return true;
}

function refuse(request: Incoming, response: Outgoing, status: number, error: string): void {
  const headers = makeHeaders();
  headers['Connection'] = 'close';
  sendAnswer(request, response, jsonAnswer(status, { error }, headers));
}

/** RFC 9112, section 3.2: with two, a proxy in front and we could take the request for different ones. */
function hasOneHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count < 2;
}
