import { PendingAnswers, readFrames, type Connection } from '@backlot/kit';
import { LengthPrefixFramer } from '@backlot/kit/framing';
import type { PendingAnswer, Send } from './query-handler.js';
import { MAX_MESSAGE } from './wire/message-writer.js';

/** Delayed answers of one connection; beyond them nothing more is read until one is sent. */
const MAX_WAITING = 1000;

/** Answers one message of a connection, see `QueryHandler.receive`. */
export type Receive = (bytes: Buffer, send: Send) => PendingAnswer | undefined | false;

/**
 * Serves one TCP connection (RFC 7766): any number of queries, each with its length in front. An answer that is
 * delayed holds up no other, so answers may come in another order than the queries (section 6.2.1.1).
 */
export function serveStream(connection: Connection, receive: Receive): void {
  const framer = new LengthPrefixFramer({ lengthBytes: 2, maxLength: MAX_MESSAGE + 2 });
  const pending = new PendingAnswers(connection, { limit: MAX_WAITING });
  let hasRest = false;
  const send: Send = (answer) => void connection.write(answer);

  readFrames(connection, framer, (frame) => {
    const late = receive(frame, send);
    if (late === false) connection.end();
    else if (late !== undefined) pending.wait(late.answered, undefined, late.exchange);
  });
  // A client that has ended its side, and reads slowly, still gets the answers to what it has asked.
  connection.onEnd(() => {
    if (!framer.isHalted) return;
    connection.busy();
    hasRest = true;
  });
  connection.onResume(() => {
    if (!hasRest || framer.isHalted) return;
    hasRest = false;
    connection.idle();
  });
}
