import type { Socket } from 'node:net';

/** Leaves a connection at once in a way that the server notices: resets it, unless it is being closed already. */
export function abandon(socket: Socket): void {
  // While a socket is being shut down Node cannot reset it: the handle would stay open and keep the process busy.
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
