import net from 'node:net';

/** Milliseconds without a byte after which a session has failed. */
const SILENCE = 30_000;

/**
 * Opens a connection, sends bytes, such as a recorded session, ends this side, and resolves with all that the server
 * has sent when it has closed the connection. A connection that the server resets counts as closed.
 *
 * @throws Error when nothing comes for thirty seconds and the connection is still open
 */
export function playSession(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    socket.setTimeout(SILENCE, () => {
      const sent = JSON.stringify(Buffer.from(bytes).toString('latin1', 0, 200));
      reject(new Error(`the connection is still open ${SILENCE / 1_000} s after ${sent} and its end`));
      socket.destroy();
    });
    socket.end(bytes);
  });
}
