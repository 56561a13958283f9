import type { Socket } from 'node:net';

/** Gives a connection up at once so that the server can tell: resets it, unless it is being closed already. */
export function abandon(socket: Socket): void {
  // While a socket is being shut down Node cannot reset it: the handle would stay open and keep the process busy.
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
