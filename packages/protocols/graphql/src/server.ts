import type { Service } from '@backlot/core/plugin';
import { createService, timers } from '@backlot/kit';
import { HttpAcceptor } from '@backlot/kit/http';
import { DocumentCache } from './document/document-cache.js';
import { HttpHandler } from './http-handler.js';
import { readSettings } from './settings.js';
import type { GraphqlContext } from './shape.js';
import { SocketAcceptor } from './socket/socket-acceptor.js';

/** The GraphQL listener: HTTP and WebSocket on one path. */
export function createGraphqlService(context: GraphqlContext): Service {
  const documents = new DocumentCache();
  const settings = readSettings(context.config);
  const sockets = new SocketAcceptor(context, settings, documents);
  const handler = new HttpHandler(context, settings, documents);
  const http = new HttpAcceptor({ onRequest: handler.handle, onUpgrade: sockets.upgrade });
  return createService(context, {
    stream: {
      alpnProtocols: ['http/1.1'],
      onConnection: (connection) => http.take(connection),
      onStopping: (connection) => sockets.goAway(connection),
    },
    onStarted: () => http.start(),
    onStopping: async () => {
      sockets.endSubscriptions();
      // What ends a subscription is written a little later, and must come before the goodbye.
      if (sockets.count > 0) await new Promise<void>((resolve) => timers.after(1, resolve));
    },
    onStopped: () => http.stop(),
    reset: () => sockets.endSubscriptions(),
    describe: () => ({ path: settings.path }),
  });
}
