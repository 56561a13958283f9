import { LengthPrefixFramer, type Connection } from '@backlot/kit';
import type { PendingAnswer, Send } from './server.js';
import { MAX_MESSAGE } from './wire/message-writer.js';

/** Delayed answers of one connection; beyond them nothing more is read until one is sent. */
const MAX_WAITING = 1000;

/** Answers one message of a connection, see `DnsServer.receive`. */
export type Receive = (bytes: Buffer, send: Send) => PendingAnswer | undefined | false;

/**
 * Serves one TCP connection (RFC 7766): any number of queries, each with its length in front. An answer that is
 * delayed holds up no other, so answers may come in another order than the queries (section 6.2.1.1).
 */
export function serveStream(connection: Connection, receive: Receive): void {
  const framer = new LengthPrefixFramer({ lengthBytes: 2, maxLength: MAX_MESSAGE + 2 });
  const waiting = new Set<PendingAnswer>();
  let canWrite = true;

  const send: Send = (answer) => {
    if (!connection.write(answer)) canWrite = false;
  };
  const take = (frame: Buffer): boolean => {
    const pending = receive(frame, send);
    if (pending === false) {
      connection.end();
      return false;
    }
    if (pending !== undefined) waitFor(pending);
    return canWrite && waiting.size < MAX_WAITING;
  };
  const goOn = (): void => {
    if (!framer.isHalted || !canWrite || waiting.size >= MAX_WAITING || connection.isClosed) return;
    connection.resume();
    framer.resume(take);
    if (framer.isHalted) connection.pause();
  };
  const waitFor = (pending: PendingAnswer): void => {
    waiting.add(pending);
    connection.busy();
    pending.answered
      .finally(() => {
        waiting.delete(pending);
        connection.idle();
      })
      .then(connection.isolate(goOn), (error: unknown) => connection.isolate(() => Promise.reject(error))());
  };

  connection.onData((chunk) => {
    framer.push(chunk, take);
    if (framer.isHalted) connection.pause();
  });
  connection.onDrain(() => {
    canWrite = true;
    goOn();
  });
  connection.onClose(() => {
    for (const { exchange } of waiting) exchange.abort();
  });
}
