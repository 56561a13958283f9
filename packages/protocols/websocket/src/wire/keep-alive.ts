import type { Connection } from '@backlot/kit';
import type { WebSocket } from 'ws';

/** Milliseconds without traffic after which a client is pinged, and within which it must then answer. */
export interface Patience {
  readonly idle: number;
  readonly answer: number;
}

/**
 * Finds out about clients that are gone without a word: pings after a while without traffic, and cuts the connection
 * when nothing comes back (RFC 6455, section 5.5.2). A connection whose answer is being made is left alone.
 */
export function keepAlive(connection: Connection, socket: WebSocket, { idle, answer }: Patience): void {
  const watch = (): void => connection.setIdleTimeout(idle, ask);
  const ask = (): void => {
    if (socket.readyState !== socket.OPEN) return;
    const waiting = connection.buffered;
    socket.ping();
    connection.setIdleTimeout(answer, () => {
      // One that reads slowly is there, even if its pong stands behind what it has not read.
      if (connection.buffered < waiting) ask();
      else connection.destroy();
    });
  };
  socket.on('pong', watch);
  watch();
}
