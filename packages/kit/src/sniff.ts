import { turns } from '@backlot/core/plugin';
import type { Connection } from './connection.js';

/** How the first bytes of a connection are looked at. */
export interface SniffOptions {
  /** How many bytes are needed at most to decide. */
  readonly bytes: number;
  /** Milliseconds in which the client must send them. Default 10,000. */
  readonly timeout?: number;
  /**
   * Called with the bytes there are (at least one, at most `bytes`). Gives what to do with the connection, or `'more'`
   * when these are too few. With all `bytes` there it must decide, else the connection is cut.
   */
  readonly choose: (head: Buffer) => SniffHandler | 'more';
  /** What to do with a client that sends nothing within the time. Default: cut the connection. */
  readonly onSilence?: SniffHandler;
}

/** Takes a connection whose first bytes are still to be read. */
export type SniffHandler = (connection: Connection) => unknown;

const TIMEOUT = 10_000;

/**
 * Looks at the first bytes that a client sends and passes the connection to the handler that they choose. The handler
 * finds all bytes unread, whether it calls {@link Connection.onData}, {@link Connection.handOver} or
 * {@link Connection.startTls}. The connection of a client that ends its side before the decision is ended.
 */
export function sniff(connection: Connection, options: SniffOptions): void {
  const { bytes, timeout = TIMEOUT, choose, onSilence } = options;
  const { socket } = connection;
  let head: Buffer = Buffer.alloc(0);

  const hasDecided = (): boolean => {
    if (head.length === 0) return false;
    const choice = choose(head.subarray(0, bytes));
    if (choice !== 'more') leaveInTime(choice);
    else if (head.length >= bytes)
      connection.destroy(new Error(`${bytes} first bytes were not enough to decide`));
    else return false;
    return true;
  };

  const look = connection.isolate(() => {
    for (let chunk: Buffer | null; (chunk = socket.read() as Buffer | null) !== null;) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (hasDecided()) return;
    }
  });

  /** What a library reads at once may be much: when this turn of the event loop has lasted too long, it reads in a later one. */
  const leaveInTime = (handler: SniffHandler): void => {
    if (!turns.isLate()) return leave(handler);
    socket.off('readable', look);
    timer.cancel();
    turns.wait(
      connection.isolate(() => {
        if (!connection.isClosed) leave(handler);
      }),
    );
  };

  const leave = (handler: SniffHandler): void => {
    socket.off('readable', look);
    timer.cancel();
    if (head.length > 0) socket.unshift(head);
    handler(connection);
  };

  const timer = connection.after(timeout, () => {
    if (head.length === 0 && onSilence !== undefined) leave(onSilence);
    else connection.destroy();
  });
  socket.on('readable', look);
}
