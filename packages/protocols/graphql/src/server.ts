import type { Service } from '@backlot/core/plugin';
import { createGuestService, createService, GuestConnections, timers } from '@backlot/kit';
import {
  HttpAcceptor,
  jsonAnswer,
  sendHttp1Answer,
  type EnteringUpgrade,
  type HttpGuest,
} from '@backlot/kit/http';
import { DocumentCache } from './document/document-cache.js';
import { PersistedDocuments } from './document/persisted-documents.js';
import { readDocument } from './document/read-document.js';
import { HttpDelivery } from './http-delivery.js';
import { HttpHandler } from './http-handler.js';
import { HttpIntake } from './http-intake.js';
import { HttpSender } from './http-sender.js';
import type { SchemaEngine } from './schema/engine.js';
import { readSettings } from './settings.js';
import type { GraphqlContext } from './shape.js';
import { SocketAcceptor } from './socket/socket-acceptor.js';
import type { Relay } from './upstream/relay.js';

/**
 * The GraphQL listener: HTTP and WebSocket on one path.
 *
 * @param engine - checks and completes by the schema, where there is one
 * @param relay - asks the upstream, where there is one
 */
export function createGraphqlService(
  context: GraphqlContext,
  engine: SchemaEngine | undefined,
  relay?: Relay,
): Service {
  const documents = new DocumentCache(readDocument);
  const settings = readSettings(context.config);
  const persisted = new PersistedDocuments(context.mocks.index.documents);
  const sockets = new SocketAcceptor(context, settings, documents, engine, relay);
  const delivery = new HttpDelivery(context, settings, engine);
  const sender = new HttpSender(settings);
  const handler = new HttpHandler({
    context,
    settings,
    documents,
    engine,
    persisted,
    delivery,
    sender,
    relay,
  });
  const intake = new HttpIntake(settings, sender, delivery, handler, relay);
  const ends = {
    onStopping: async () => {
      delivery.end();
      sockets.endSubscriptions();
      // What ends a subscription is written a little later, and must come before the close frame.
      if (sockets.count > 0) await new Promise<void>((resolve) => timers.after(1, resolve));
    },
    reset: () => {
      sockets.endSubscriptions();
      persisted.clear();
      relay?.reset();
    },
    describe: () => ({ path: settings.path }),
  };
  if (context.config.share !== undefined) {
    const connections = new GuestConnections(context);
    const guest: HttpGuest = {
      kind: context.kind,
      takesRequest: ({ url = '/' }) => url.split('?', 1)[0] === settings.path,
      request: (request) => connections.admit(request.connection, () => intake.takeOver(request)),
      claimUpgrade: (head) => sockets.claim(head),
      upgrade: (request, socket, head, connection) =>
        connections.admit(connection, () => {
          connections.keep(connection);
          sockets.upgrade(request, socket, head, connection);
        }),
    };
    return createGuestService(connections, {
      ...ends,
      guest,
      onConnectionStopping: (connection) => sockets.goAway(connection),
    });
  }
  const http = new HttpAcceptor({
    spaces: context.spaces,
    onRefused: (_request, response, _connection, { status, message }) =>
      sendHttp1Answer(response, jsonAnswer(status, { errors: [{ message }] })),
    onRequest: intake.handle,
    upgrade: { token: 'websocket', take: sockets.upgrade },
  });
  return createService(context, {
    stream: {
      alpnProtocols: ['http/1.1'],
      onConnection: (connection) => http.take(connection),
      onEntered: (connection, upgrade: EnteringUpgrade) => http.enter(connection, upgrade),
      onStopping: (connection) => sockets.goAway(connection),
    },
    ...ends,
    onStarted: () => http.start(),
    onStopped: () => {
      http.stop();
      relay?.stop();
    },
    entrance: http.entrance,
  });
}
