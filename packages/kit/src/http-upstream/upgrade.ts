import type { Socket } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import { CONNECTION_HEADERS } from '../http/headers.js';
import { connectUpstream, type UpstreamConnect } from '../upstream/connect-upstream.js';
import { joinSockets } from '../upstream/splice.js';
import type { UpstreamLog } from '../upstream/upstream-log.js';

/** Headers that are those of one connection, or of one handshake of WebSocket. */
const NOT_FORWARDED = /^(?:host|content-length|sec-websocket-.*)$/i;

/** The host of an upstream as the header Host names it. */
export function hostOf({ url }: Upstream): string {
  return new URL(url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, 'http://')).host;
}

/** How clients of HTTP and WebSocket of libraries connect: what they take as `createConnection`. */
export function upstreamConnector(
  upstream: Upstream,
  connect: UpstreamConnect,
): (options: unknown, done: (error: Error | null, socket?: Duplex) => void) => undefined {
  return (_options, done) => {
    connectUpstream(upstream, connect).then(
      (socket) => {
        // A client of HTTP leaves a connection open of which only the other side was ended.
        socket.allowHalfOpen = false;
        done(null, socket);
      },
      (thrown: unknown) => done(thrown as Error),
    );
    return undefined;
  };
}

/** Headers of a handshake of WebSocket for the next one: without those of its connection, and of the handshake itself. */
export function upgradeHeaders(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const dropped = new Set<string>(CONNECTION_HEADERS);
  const headers: Record<string, string | string[]> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    if (dropped.has(name.toLowerCase()) || NOT_FORWARDED.test(name)) continue;
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

/** A request for an upgrade that is passed on without being read. */
export interface PassedUpgrade {
  readonly request: Pick<IncomingMessage, 'method' | 'rawHeaders'>;
  readonly socket: Socket;
  /** What came behind the request. */
  readonly head: Buffer;
  readonly connection: Connection;
  /** What the upstream is asked for, with its path. */
  readonly target: string;
}

/** Passes an upgrade on with all that follows, as the bytes that they are. When the upstream cannot be reached, the client is reset. */
export function passUpgrade(
  { request, socket, head, connection, target }: PassedUpgrade,
  upstream: Upstream,
  authorities: Buffer | undefined,
  log: UpstreamLog,
): void {
  connection.setIdleTimeout(0);
  const leaving = new AbortController();
  connection.onClose(() => leaving.abort());
  connectUpstream(upstream, { authorities, signal: leaving.signal }).then(
    (far) => {
      log.worked();
      if (connection.isClosed) return far.destroy();
      far.write(headOf(request, target, hostOf(upstream)), 'latin1');
      far.write(head);
      return joinSockets(socket, far, connection);
    },
    (error: unknown) => {
      if (leaving.signal.aborted) return;
      log.failed(error);
      connection.reset();
    },
  );
}

function headOf(
  { method = 'GET', rawHeaders }: PassedUpgrade['request'],
  target: string,
  host: string,
): string {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() !== 'host')
      lines.push(`${rawHeaders[index] ?? ''}: ${rawHeaders[index + 1] ?? ''}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
