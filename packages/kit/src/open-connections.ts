import type { Socket } from 'node:net';
import type { Farewell, OpenConnection } from '@backlot/core/plugin';
import type { Connection } from './connection.js';
import { timers } from './timers.js';

/** What a protocol knows of the client of a connection. */
export interface ClientFacts {
  /** Who has logged in; absent or empty while nobody has. */
  readonly user?: string | undefined;
  /** What the client calls itself, where the protocol has that; absent or empty when it does not say. */
  readonly client?: string | undefined;
  /** The channels, topics, queues or destinations that it listens to; absent for a protocol without them. */
  readonly subscriptions?: Iterable<string> | undefined;
}

/** What is kept of an open connection for those who list them. */
interface Opened {
  readonly id: string;
  /** By the clock of {@link timers}. */
  readonly at: number;
  /** The TCP socket, which counts what goes over the wire. */
  readonly raw: Socket;
  facts: (() => ClientFacts) | undefined;
}

const opened = new WeakMap<Connection, Opened>();

/**
 * Keeps what lists show of a connection; one that another server had before is as old as it was, and whoever serves its client
 * still knows who that is.
 *
 * @param number - its number among those of its server
 */
export function noteOpened(connection: Connection, number: number, raw: Socket): void {
  const { at = timers.now(), facts } = opened.get(connection) ?? {};
  opened.set(connection, { id: String(number), at, raw, facts });
}

/**
 * Says how to find out who the client of a connection is and what it listens to: asked when somebody lists the
 * connections, and never before. A second call replaces the first.
 */
export function describeClient(connection: Connection, facts: () => ClientFacts): void {
  const entry = opened.get(connection);
  if (entry !== undefined) entry.facts = facts;
}

/**
 * The open connections as a service shows them.
 *
 * @param sayGoodbye - sends the last words of the protocol; without it a goodbye is an ordinary end
 */
export function listOpen(
  connections: Iterable<Connection>,
  sayGoodbye?: (connection: Connection) => unknown,
): OpenConnection[] {
  const list: OpenConnection[] = [];
  for (const connection of connections) {
    const entry = opened.get(connection);
    if (entry === undefined || connection.isClosed) continue;
    const { user = '', client = '', subscriptions } = entry.facts?.() ?? {};
    list.push({
      id: entry.id,
      remote: connection.remote,
      ageMilliseconds: timers.now() - entry.at,
      bytesIn: entry.raw.bytesRead,
      bytesOut: entry.raw.bytesWritten,
      ...(user === '' ? {} : { user }),
      ...(client === '' ? {} : { client }),
      ...(subscriptions === undefined ? {} : { subscriptions: [...subscriptions] }),
      close: (how) => close(connection, how, sayGoodbye),
    });
  }
  return list;
}

function close(
  connection: Connection,
  how: Farewell,
  sayGoodbye: ((connection: Connection) => unknown) | undefined,
): boolean {
  if (connection.isClosed) return false;
  if (how === 'reset') connection.reset();
  else if (how === 'end') connection.end();
  // What has been ended already closes as it is: it can be sent no last words.
  else if (!connection.isEnded) {
    if (sayGoodbye !== undefined) connection.isolate(sayGoodbye)(connection);
    connection.endWhenIdle();
  }
  return true;
}
