import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { SpaceDoors } from '@backlot/core/plugin';
import { endWithHttp, handRequestOver, jsonAnswer } from '@backlot/kit/http';
import type { HttpConnection } from './wire/connection.js';
import { sendAnswer, type Incoming, type Outgoing } from './wire/outgoing.js';

/** The `entrance` of an HTTP service: what takes requests that came to the port of another world. */
export interface HttpEntrance {
  handle(request: Incoming, response: Outgoing, connection: HttpConnection): void;
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer, connection: HttpConnection): void;
}

/**
 * Hands a request over to the space that it names; one that names a space which is not there is answered with 404.
 *
 * @returns whether that was done; else the request is for this world
 */
export function handOver(
  spaces: SpaceDoors,
  request: Incoming,
  response: Outgoing,
  connection: HttpConnection,
): boolean {
  return handRequestOver<HttpEntrance>(spaces, request.rawHeaders, {
    pass: (entrance) => connection.kit.isolate(() => entrance.handle(request, response, connection))(),
    refuse: (status, error) => {
      if (!response.headersSent) sendAnswer(request, response, jsonAnswer(status, { error }));
    },
  });
}

/** Hands a request for an upgrade over in the same way. */
export function handUpgradeOver(
  spaces: SpaceDoors,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  connection: HttpConnection,
): boolean {
  const { kit } = connection;
  return handRequestOver<HttpEntrance>(spaces, request.rawHeaders, {
    pass: (entrance) => kit.isolate(() => entrance.upgrade(request, socket, head, connection))(),
    refuse: (status, error) => endWithHttp(kit, status, error),
  });
}
