import { jsonAnswer } from '@backlot/kit/http';
import type { WebsocketContext } from '../../shape.js';
import { openSession } from '../open-session.js';
import type { Speech } from '../speech.js';
import { SignalrDialect } from './dialect.js';
import { negotiate } from './negotiate.js';

/** Serves clients of SignalR. */
export function speakSignalr(context: WebsocketContext): Speech {
  return {
    open: (handshake, socket, connection) =>
      openSession(context, handshake, socket, connection, new SignalrDialect()),
    request(method, { query }, _body, replier) {
      if (method !== 'POST') return replier.send(jsonAnswer(405, { error: 'negotiate takes POST' }));
      replier.send(negotiate(query['negotiateVersion'], () => context.newId()));
    },
  };
}
