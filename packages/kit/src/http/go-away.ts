import type { Http2Session } from 'node:http2';
import type { Connection } from '../connection.js';

/**
 * Tells the client of a session of HTTP/2 by GOAWAY that no further requests are taken; answers that have begun may end. The
 * connection stays open until that is sent, also when it is to end once it is idle.
 */
export function goAway(session: Http2Session, connection: Connection): void {
  if (session.destroyed) return;
  connection.busy();
  session.close();
  // node:http2 sends what it has for a session at the end of the turn.
  setImmediate(() => connection.idle());
}
