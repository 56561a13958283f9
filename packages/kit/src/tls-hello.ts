import type { Socket } from 'node:net';
import { turns } from '@backlot/core/plugin';

/** The first byte of a TLS record with a handshake (RFC 8446, section 5.1). */
const HANDSHAKE = 0x16;
const RECORD_HEADER = 5;
/** The longest record of a handshake that is not encrypted. */
const MAX_RECORD = 16_384;

/**
 * Waits until the first record of a client's handshake has come, and until it is the client's turn: TLS itself is only begun for
 * clients that can be answered, and the signatures for thousands whose first bytes come at once are spread over as many turns of the
 * event loop as they need. All bytes are unread again when `begin` is called, which has to take the socket at once.
 *
 * @returns ends the wait, without `begin`
 */
export function awaitHello(raw: Socket, begin: () => void): () => void {
  let head: Buffer = Buffer.alloc(0);
  let isWaiting = true;
  let hasTurn = false;

  const look = (): void => {
    // What comes behind the first record stays where it is; that the client has left is seen as long as there is room.
    for (let chunk: Buffer | null; !hasTurn && (chunk = raw.read() as Buffer | null) !== null;) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (!isFirstRecordThere(head)) continue;
      hasTurn = true;
      turns.wait(leave);
    }
  };

  const stop = (): void => {
    isWaiting = false;
    raw.off('readable', look);
  };

  const leave = (): void => {
    if (!isWaiting || raw.destroyed) return;
    stop();
    raw.unshift(head);
    begin();
  };

  raw.on('readable', look);
  return stop;
}

/** Whether TLS can tell what the bytes are: the whole first record, or no record of a handshake. */
function isFirstRecordThere(head: Buffer): boolean {
  if (head.length === 0) return false;
  if (head[0] !== HANDSHAKE) return true;
  if (head.length < RECORD_HEADER) return false;
  const length = head.readUInt16BE(RECORD_HEADER - 2);
  return length > MAX_RECORD || head.length >= RECORD_HEADER + length;
}
