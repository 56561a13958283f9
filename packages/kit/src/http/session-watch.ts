import type { ServerHttp2Session } from 'node:http2';
import type { Connection } from '../connection.js';
import { timers, type Timer } from '../timers.js';

const PERIOD = 2000;

/** One session under watch. */
interface Watched {
  readonly connection: Connection;
  /** How many bytes had come when it was last looked at. */
  read: number;
  /** Whether it was asked for a sign of life since then. */
  wasAsked: boolean;
}

/**
 * Closes HTTP/2 connections that node has given up. When a client breaks the rules of the framing, node's HTTP/2 sends
 * GOAWAY and then neither reads, writes nor closes, so that it does not notice either when the client leaves. In such a
 * session a PING stays in the queue; to a client that is only busy the PING is written, whether the client answers or
 * not.
 */
export class SessionWatch {
  readonly #sessions = new Map<ServerHttp2Session, Watched>();
  #timer: Timer | undefined;

  /** Watches a session until it closes. */
  add(session: ServerHttp2Session, connection: Connection): void {
    this.#sessions.set(session, { connection, read: 0, wasAsked: false });
    this.#timer ??= timers.every(PERIOD, () => this.#look(), { unref: true });
    session.once('close', () => this.#remove(session));
  }

  #remove(session: ServerHttp2Session): void {
    this.#sessions.delete(session);
    if (this.#sessions.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #look(): void {
    for (const [session, watched] of this.#sessions) {
      const { connection } = watched;
      const read = connection.socket.bytesRead;
      if (read !== watched.read) {
        watched.read = read;
        watched.wasAsked = false;
      } else if (!watched.wasAsked) {
        watched.wasAsked = true;
        ask(session, watched);
      } else if ((session.state.outboundQueueSize ?? 0) > 0) {
        connection.destroy();
      }
    }
  }
}

function ask(session: ServerHttp2Session, watched: Watched): void {
  if (session.closed || session.destroyed) return;
  // The answer to a PING does not count as activity: else every quiet client would be asked again and again.
  session.ping(() => (watched.read = watched.connection.socket.bytesRead));
}
