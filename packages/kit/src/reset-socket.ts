import type { Socket } from 'node:net';

/** Closes a socket with a TCP RST where that is possible. */
export function resetSocket(socket: Socket): void {
  // While a FIN waits to be sent, node's reset fails, and the socket would stay open for ever.
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
