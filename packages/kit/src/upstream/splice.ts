import type { Socket } from 'node:net';
import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import { connectUpstream } from './connect-upstream.js';
import type { UpstreamLog } from './upstream-log.js';

/** What is said to a client that asks for the connection, as one of a proxy does. */
export interface SpliceWords {
  /** Called when the upstream is there, before its first bytes are given to the client. */
  readonly opened: () => void;
  /** Called when it is not, in place of a reset. */
  readonly failed: (error: unknown) => void;
}

/**
 * Connects a client with the upstream: bytes go through as they are, each side is read as fast as the other one takes them, and
 * the end of one side is passed on as that. Nothing is read of the client before the upstream is there. When it cannot be
 * reached, or breaks off, the client's connection is reset.
 */
export function splice(
  connection: Connection,
  upstream: Upstream,
  authorities: Buffer | undefined,
  log: UpstreamLog,
  words?: SpliceWords,
): void {
  // How long a client may be silent is for the upstream to say.
  connection.setIdleTimeout(0);
  const leaving = new AbortController();
  connection.onClose(() => leaving.abort());
  const { alpnProtocol } = connection;
  connectUpstream(upstream, {
    authorities,
    signal: leaving.signal,
    ...(alpnProtocol === undefined ? {} : { alpnProtocols: [alpnProtocol] }),
  }).then(
    (far) => {
      log.worked();
      if (connection.isClosed) far.destroy();
      else {
        words?.opened();
        connection.handOver((near) => joinSockets(near, far, connection), { halfOpen: true });
      }
    },
    (error: unknown) => {
      if (leaving.signal.aborted) return;
      log.failed(error);
      if (words === undefined) connection.reset();
      else connection.isolate(words.failed)(error);
    },
  );
}

/** Passes the bytes of two sockets from one to the other; the first is that of a connection, which is reset when the other breaks off. */
export function joinSockets(near: Socket, far: Socket, connection: Connection): void {
  connection.onClose(() => far.destroy());
  far.on('error', () => connection.reset());
  far.on('close', () => {
    // With its side ended in order, what is left for the client is still sent.
    if (!far.readableEnded) connection.reset();
    else if (!near.destroyed) near.end();
  });
  near.pipe(far);
  far.pipe(near);
}
