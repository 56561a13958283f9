import type { Connection } from '@backlot/kit';
import { HEARTBEAT } from '../wire/frame-types.js';

/** Looks twice per interval, as section 4.2.7 has it: a silent client is gone after two intervals. */
const LOOKS_UNTIL_GONE = 4;

/**
 * Sends heart-beats while nothing else is sent, and ends a connection on which nothing arrives.
 *
 * @param seconds - the interval that was agreed on; 0 is none
 */
export function beat(connection: Connection, seconds: number): void {
  if (seconds === 0) return;
  const { socket } = connection;
  let read = socket.bytesRead;
  let written = socket.bytesWritten;
  let silent = 0;
  connection.every((seconds * 1000) / 2, () => {
    // What waits while reading is held up has arrived and is not counted yet.
    silent = socket.bytesRead === read && !connection.isPaused ? silent + 1 : 0;
    if (silent >= LOOKS_UNTIL_GONE) {
      connection.destroy();
      return;
    }
    if (socket.bytesWritten === written && connection.buffered === 0) connection.push(HEARTBEAT);
    read = socket.bytesRead;
    written = socket.bytesWritten;
  });
}
