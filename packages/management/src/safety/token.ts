import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BacklotError } from '@backlot/core/plugin';

/** Makes the check of the bearer token (RFC 6750); its time does not depend on how much of a guess is right. */
export function createTokenCheck(token: string): (request: IncomingMessage) => void {
  const expected = digest(token);
  return (request) => {
    const given = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) {
      throw new BacklotError('unauthorized', 'a token is needed; send "Authorization: Bearer <token>"');
    }
    if (!timingSafeEqual(digest(given), expected)) {
      throw new BacklotError('unauthorized', 'the token is not the right one; send the value of api.token');
    }
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
