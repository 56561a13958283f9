import type { Connection } from '@backlot/kit';
import type { WebSocket } from 'ws';
import type { Handshake } from '../handshake.js';
import type { WebsocketContext } from '../shape.js';
import type { Dialect } from './dialect.js';
import { DialectSession } from './session.js';
import { SocketCarrier } from './socket-carrier.js';

/** The session of a client whose messages are those of its WebSocket connection. */
export function openSession(
  context: WebsocketContext,
  handshake: Handshake,
  socket: WebSocket,
  connection: Connection,
  dialect: Dialect,
): DialectSession {
  const carrier = new SocketCarrier(socket, connection);
  const session = new DialectSession(context, handshake, carrier, dialect);
  carrier.listen(session);
  return session;
}
