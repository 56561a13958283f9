import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isBacklotError, messageOf, type SpaceDoor, type SpaceDoors } from '@backlot/core/plugin';
import { jsonAnswer, spaceOfRequest } from '@backlot/kit/http';
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
  const fail = (thrown: unknown): void => {
    const status = isBacklotError(thrown) ? thrown.status : 500;
    if (!response.headersSent)
      sendAnswer(request, response, jsonAnswer(status, { error: messageOf(thrown) }));
  };
  let door: SpaceDoor | undefined;
  try {
    door = spaceOfRequest(spaces, request.rawHeaders);
  } catch (thrown) {
    fail(thrown);
    return true;
  }
  if (door === undefined) return false;
  entranceOf(door)
    .then((entrance) => connection.kit.isolate(() => entrance.handle(request, response, connection))())
    .catch(fail);
  return true;
}

/**
 * Hands a request for an upgrade over to the space that it names.
 *
 * @returns whether that was done; one that names a space which is not there is left to be answered as a request is
 */
export function handUpgradeOver(
  spaces: SpaceDoors,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  connection: HttpConnection,
): boolean {
  let door: SpaceDoor | undefined;
  try {
    door = spaceOfRequest(spaces, request.rawHeaders);
  } catch {
    return false;
  }
  if (door === undefined) return false;
  entranceOf(door)
    .then((entrance) => connection.kit.isolate(() => entrance.upgrade(request, socket, head, connection))())
    .catch((thrown: unknown) => connection.kit.destroy(thrown as Error));
  return true;
}

async function entranceOf(door: SpaceDoor): Promise<HttpEntrance> {
  // Only a service of this kind has made it.
  return (await door.open()) as HttpEntrance;
}
