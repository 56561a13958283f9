import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BacklotError } from '@backlot/core/plugin';

/**
 * Makes the check of the bearer token (RFC 6750); its time does not depend on how much of a guess is right. It answers why
 * a request is refused, `undefined` when it is not.
 */
export function createTokenCheck(token: string): (request: IncomingMessage) => BacklotError | undefined {
  const expected = digest(token);
  return (request) => {
    const given = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) {
      return new BacklotError('unauthorized', 'a token is needed; send "Authorization: Bearer <token>"');
    }
    return timingSafeEqual(digest(given), expected)
      ? undefined
      : new BacklotError('unauthorized', 'the token is not the right one; send the value of api.token');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
