import { PendingAnswers, readFrames, type Connection, type Timer } from '@backlot/kit';
import type { Waiting } from './request-handler.js';
import { SipFramer } from './wire/sip-framer.js';

/** Delayed answers of one connection; beyond them nothing more is read until one is sent. */
const MAX_WAITING = 1000;
/** How long a message that has begun may take to arrive, in milliseconds. */
const MESSAGE_TIMEOUT = 30_000;

/** Takes one message; `false` when nothing that follows it can be read. */
export type ReceiveMessage = (message: Buffer) => Waiting | undefined | false;

/** Serves one connection (RFC 3261 section 18). An answer that is delayed holds up no other. */
export function serveStream(connection: Connection, receive: ReceiveMessage): void {
  const framer = new SipFramer();
  const pending = new PendingAnswers(connection, { limit: MAX_WAITING });
  let begun: Timer | undefined;

  readFrames(connection, framer, (frame) => {
    begun?.cancel();
    begun = undefined;
    if (frame.length === 0) return undefined;
    // RFC 5626 section 4.4.1.
    if (frame.length === 4) {
      connection.write('\r\n');
      return undefined;
    }
    const result = receive(frame);
    if (result === false) {
      connection.pause();
      connection.endWhenIdle();
      return undefined;
    }
    if (result !== undefined) pending.wait(result.answered, undefined, result.exchange);
    return undefined;
  });
  const watch = connection.every(MESSAGE_TIMEOUT / 2, () => {
    if (framer.waiting === 0 || framer.isHalted) return;
    begun ??= connection.after(MESSAGE_TIMEOUT / 2, () => connection.destroy());
  });
  connection.onClose(() => watch.cancel());
}
