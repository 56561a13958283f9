import type { WebsocketContext } from '../../shape.js';
import { openSession } from '../open-session.js';
import type { Speech } from '../speech.js';
import { PhoenixDialect } from './dialect.js';

/** Serves clients of Phoenix channels. */
export function speakPhoenix(context: WebsocketContext): Speech {
  return {
    open: (handshake, socket, connection) =>
      openSession(context, handshake, socket, connection, new PhoenixDialect(handshake)),
  };
}
