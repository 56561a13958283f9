import net from 'node:net';
import { within } from './check.js';

/** For how long a session may go on, as {@link within} counts it. */
const LONGEST = 30_000;

/**
 * Opens a connection, sends bytes, such as a recorded session, ends this side, and resolves with all that the server
 * has sent when it has closed the connection. A connection that the server resets counts as closed.
 *
 * @throws Error when the connection is still open after thirty seconds, or later where the process had other work
 */
export async function playSession(port: number, bytes: Uint8Array): Promise<Buffer> {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.end(bytes);
  const sent = JSON.stringify(Buffer.from(bytes).toString('latin1', 0, 200));
  try {
    await within(LONGEST, `the end of the connection after ${sent} and its end`, closed);
  } finally {
    socket.destroy();
  }
  return Buffer.concat(chunks);
}
