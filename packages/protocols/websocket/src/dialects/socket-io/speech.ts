import type { WebsocketContext } from '../../shape.js';
import { SocketCarrier } from '../socket-carrier.js';
import type { Speech } from '../speech.js';
import { Engines } from './engines.js';

/** Serves clients of socket.io. */
export function speakSocketIo(context: WebsocketContext): Speech {
  const engines = new Engines(context);
  return {
    whyNot: (handshake) => engines.whyNot(handshake),
    open: (handshake, socket, connection) => {
      engines.open(handshake, new SocketCarrier(socket, connection));
      return undefined;
    },
    request: (method, handshake, body, replier) => engines.request(method, handshake, body, replier),
    clients: () => engines.sessions(),
  };
}
