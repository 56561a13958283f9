import net from 'node:net';

/** Milliseconds without a byte after which a connection counts as forgotten. */
const SILENCE = 30_000;

/**
 * Sends bytes, such as a recorded session, over a connection of their own, says that it was all, and resolves with what
 * came back until the server has closed as well. A connection that the server reset ends like any other.
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
