import type { ListenAddress, Service, ServiceStatus } from '@backlot/core/plugin';
import type { ConnectFaults, DelayClock } from './admit-by.js';
import type { Connection } from './connection.js';
import { listOpen } from './open-connections.js';
import { timers } from './timers.js';

/** How long connections linger at a stop, in ms. */
const STOP_LINGER = 250;

/** What a service without a listener reads of a protocol's context. */
interface GuestContext {
  readonly clock: DelayClock;
  readonly faults?: ConnectFaults;
}

/** What the service of a kind is made of that shares the listener of another one. */
export interface GuestServiceOptions {
  /** What is handed to the service of that kind. */
  readonly guest: unknown;
  /** Called when the service stops, before connections are ended. */
  readonly onStopping?: (graceMilliseconds: number) => unknown;
  /** Called for each connection of its own when the service stops, before the connection is ended. */
  readonly onConnectionStopping?: (connection: Connection) => unknown;
  /** Called for a connection of its own that somebody closes with the protocol's own last words; see `StreamPart`. */
  readonly onGoodbye?: (connection: Connection) => unknown;
  readonly onStopped?: () => unknown;
  readonly reset?: () => void;
  readonly describe?: () => Readonly<Record<string, unknown>>;
}

/** The connections that a guest was handed, with the faults of phase `connect` of its kind. */
export class GuestConnections {
  readonly #context: GuestContext;
  readonly #seen = new WeakSet<Connection>();
  /** Connections that are the guest's alone. */
  readonly own = new Set<Connection>();

  constructor(context: GuestContext) {
    this.#context = context;
  }

  /** Goes on with a connection, unless the fault for connections that are new to this kind resets it. */
  admit(connection: Connection, goOn: () => void): void {
    if (this.#seen.has(connection)) return goOn();
    this.#seen.add(connection);
    const fault = this.#context.faults?.rollForConnection();
    if (fault === undefined) return goOn();
    const decide = connection.isolate(() => {
      if (connection.isClosed) return;
      if (fault.refuse) connection.reset();
      else goOn();
    });
    if (fault.delay === 0) return decide();
    connection.busy();
    this.#context.clock.after(fault.delay, () => {
      connection.idle();
      decide();
    });
  }

  /** Takes a connection as one of the guest's alone, as after an upgrade. */
  keep(connection: Connection): void {
    this.own.add(connection);
    connection.onClose(() => this.own.delete(connection));
  }
}

/** Makes the service of a kind that shares the listener of another one. It is stopped, and never started. */
export function createGuestService(connections: GuestConnections, options: GuestServiceOptions): Service {
  const { guest, onStopping, onConnectionStopping, onStopped, reset, describe } = options;
  const { onGoodbye = onConnectionStopping } = options;
  return {
    guest,
    start(): Promise<ListenAddress> {
      return Promise.reject(new Error('a service that shares a listener is not started'));
    },
    async stop(graceMilliseconds) {
      await onStopping?.(graceMilliseconds);
      const { own } = connections;
      const closed = [...own].map(
        (connection) => new Promise<void>((resolve) => connection.onClose(() => resolve())),
      );
      for (const connection of own) {
        if (onConnectionStopping !== undefined && graceMilliseconds > 0)
          connection.isolate(onConnectionStopping)(connection);
        connection.endWhenIdle(Math.min(STOP_LINGER, graceMilliseconds));
      }
      const timer = timers.after(graceMilliseconds, () => {
        for (const connection of own) connection.destroy();
      });
      await Promise.all(closed);
      timer.cancel();
      await onStopped?.();
    },
    reset: () => reset?.(),
    openConnections: () => listOpen(connections.own, onGoodbye),
    status(): ServiceStatus {
      const extra = describe?.();
      return { connections: connections.own.size, ...(extra && { extra }) };
    },
  };
}
