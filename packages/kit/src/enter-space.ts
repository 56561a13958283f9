import { BacklotError, type SpaceDoor } from '@backlot/core/plugin';
import type { Connection } from './connection.js';
import { toError } from './thrown.js';

/** What a service has as `entrance` that takes connections which came to the port of another world. */
export interface ConnectionEntrance {
  /**
   * Serves a connection that was left by its service ({@link Connection.leave}).
   *
   * @param handed - what the service that had it knows of it: a service of the same kind made it
   */
  takeConnection(connection: Connection, handed: unknown): void;
}

/** How a connection is handed over. */
export interface Entry {
  /** Whether whoever serves the connection goes on serving it, for the service in the space. Default false. */
  readonly stays?: boolean;
  /** The {@link Companion} whose connection it is, by its name; absent for a connection of the kind's main listener. */
  readonly companion?: string;
}

/**
 * Hands a connection over to the space that its client has named: whoever serves it now is told that it is closed, and the
 * service of the same kind in the space serves it from now on, by the `onEntered` of its stream part. Its limit of idle time is
 * that of the service there, until somebody sets another one.
 *
 * @param handed - what that service is to know, such as bytes that are not used yet
 * @returns when that was done; or when the space could not be entered, which has closed the connection
 */
export function enterSpace(
  door: SpaceDoor,
  connection: Connection,
  handed: unknown,
  { stays = false, companion }: Entry = {},
): Promise<void> {
  if (!stays) connection.leave();
  const take = async (): Promise<void> => {
    const opened = await door.open();
    const entrance: unknown =
      companion === undefined ? opened : (opened as Record<string, unknown>)[companion];
    if (!isConnectionEntrance(entrance))
      throw new BacklotError('internal', 'the service in the space takes no connections of other ports');
    entrance.takeConnection(connection, handed);
  };
  return take().catch((thrown: unknown) => connection.destroy(toError(thrown)));
}

function isConnectionEntrance(entrance: unknown): entrance is ConnectionEntrance {
  return typeof entrance === 'object' && entrance !== null && 'takeConnection' in entrance;
}
