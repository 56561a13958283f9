import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from '../connection.js';

/**
 * Lets node:http serve a connection from now on, whose client may end its side and still be answered.
 *
 * A TLS socket is read by its events and not by its handle: that gives on what was decrypted together also when the library has
 * paused its parser, which then takes a good request for a wrong one.
 */
export function handToHttp1(connection: Connection, server: Server): void {
  connection.handOver(
    (socket) => {
      server.emit('connection', socket);
      if (connection.encrypted) readByEvents(socket);
    },
    { halfOpen: true },
  );
}

/** The library leaves the handle for good as soon as it sees a listener. */
function readByEvents(socket: Socket): void {
  socket.on('data', ignore).off('data', ignore);
}

function ignore(): void {
  // It is there to be seen.
}
