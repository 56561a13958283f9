import type { Connection } from '@backlot/kit';
import { receiveAll, sendAll } from '../data/transfer.js';
import { ReplyError } from '../reply-error.js';
import type { CommandContext } from './command-context.js';

/** Sends bytes over the data connection that was asked for. @throws ReplyError 425, 426 */
export function sendData(session: CommandContext, bytes: Uint8Array, what: string): Promise<void> {
  return withData(session, `sending ${what}, ${bytes.length} bytes`, (connection) =>
    sendAll(connection, bytes),
  );
}

/** Reads the data connection that was asked for to its end. @throws ReplyError 425, 426, 552 */
export async function receiveData(session: CommandContext, what: string): Promise<Uint8Array> {
  const { tree } = session.services;
  let reserved = 0;
  try {
    return await withData(session, `ready to receive ${what}`, (connection) =>
      receiveAll(connection, (bytes) => {
        tree.reserve(bytes);
        reserved += bytes;
      }),
    );
  } finally {
    tree.release(reserved);
  }
}

/** Checks that a data connection was asked for. @throws ReplyError 425 */
export function checkChannel(session: CommandContext): void {
  if (session.channel === undefined) throw new ReplyError(425, 'use PASV, EPSV, PORT or EPRT first');
}

async function withData<T>(
  session: CommandContext,
  announcement: string,
  transfer: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { channel } = session;
  if (channel === undefined) throw new ReplyError(425, 'use PASV, EPSV, PORT or EPRT first');
  if (session.hasLeft) channel.giveUp();
  session.reply(150, announcement);
  session.isTransferring = true;
  try {
    const connection = await channel.open();
    if (session.isProtected) await secure(connection);
    return await transfer(connection);
  } finally {
    session.isTransferring = false;
    session.closeChannel();
  }
}

async function secure(connection: Connection): Promise<void> {
  try {
    await connection.startTls();
  } catch {
    throw new ReplyError(426, 'the TLS handshake of the data connection failed');
  }
}
