import { runInSlices } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { Gathered } from '@backlot/kit/framing';
import { ReplyError } from '../reply-error.js';
import { TRANSFER_PATIENCE } from './data-channel.js';

const PIECE = 1024 * 1024;

/**
 * Sends bytes over a data connection and ends it. Resolves when all has left this process.
 *
 * @throws ReplyError 426 when the connection breaks, or stands still for too long
 */
export function sendAll(connection: Connection, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    const sendOn = (): void => {
      while (sent < bytes.length) {
        const piece = bytes.subarray(sent, sent + PIECE);
        sent += piece.length;
        if (!connection.write(piece)) return;
      }
      finish();
    };
    const finish = (): void => {
      if (connection.isEnded) return;
      connection.socket.once('finish', resolve);
      connection.end();
      connection.idle();
    };
    // A client that ends its own side still gets everything.
    connection.busy();
    connection.onClose(() => reject(new ReplyError(426, 'the data connection was closed; transfer aborted')));
    watchForStall(connection);
    connection.onResume(sendOn);
    connection.onData(ignore);
    sendOn();
  });
}

/**
 * Reads a data connection to its end.
 *
 * @param reserve - takes room for bytes that have come; what it throws ends the transfer
 * @throws ReplyError 426 when the connection breaks, or stands still for too long
 */
export async function receiveAll(
  connection: Connection,
  reserve: (bytes: number) => void,
): Promise<Uint8Array> {
  const gathered = await gather(connection, reserve);
  return runInSlices(gathered.takeSteps());
}

function gather(connection: Connection, reserve: (bytes: number) => void): Promise<Gathered> {
  return new Promise((resolve, reject) => {
    const gathered = new Gathered();
    connection.setIdleTimeout(TRANSFER_PATIENCE);
    connection.onEnd(() => resolve(gathered));
    connection.onClose(() => reject(new ReplyError(426, 'the data connection was closed; transfer aborted')));
    connection.onData((chunk) => {
      try {
        reserve(chunk.length);
        gathered.append(chunk);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        connection.end();
      }
    });
  });
}

/** Cuts a connection that takes nothing for too long; kit's idle limit leaves those alone that an answer is made for. */
function watchForStall(connection: Connection): void {
  let before = -1;
  connection.every(TRANSFER_PATIENCE, () => {
    const now = connection.socket.bytesWritten - connection.buffered;
    if (now === before) connection.destroy();
    before = now;
  });
}

function ignore(): void {
  // Nothing is expected of a client that downloads.
}
