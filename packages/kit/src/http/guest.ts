import type { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import type { Replier } from './replier.js';

/** What a listener gives that hands over requests and upgrades: the `gives` and `takes` of the kinds' declarations. */
export const HTTP_REQUESTS = 'requests';

/**
 * How surely a guest is meant by an upgrade: 0 not at all, 1 when nobody else is, 2 by one of its mocks, 3 by what is its own
 * alone. The surest one is given it; of several as sure ones the first by name.
 */
export type Claim = 0 | 1 | 2 | 3;

/** The request line and headers of a request of either version of HTTP. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;

/** A request that is handed over to a guest. */
export interface GuestRequest extends Replier {
  readonly head: RequestHead;
  readonly connection: Connection;
  /** The body, read to its end; absent when there is none. */
  readonly body: Buffer | undefined;
  /** Whether the content codings of the body were undone. */
  readonly isDecoded: boolean;
}

/** The real server that a request is for which has come to the listener as a proxy. */
export type GuestServer = Pick<Upstream, 'url' | 'host' | 'port' | 'path' | 'isSecure'>;

/** What a kind takes of an HTTP listener that it shares: what no mock of the listener's own kind takes. */
export interface HttpGuest {
  /** The name of the kind. */
  readonly kind: string;
  /** Whether a request is for this guest. Absent: none is. */
  takesRequest?(head: RequestHead): boolean;
  /** Answers a request. */
  request?(request: GuestRequest): void;
  /** Whether a request of HTTP/2 is for this guest as a stream, before its body has come. Absent: none is. */
  takesStream?(head: RequestHead): boolean;
  /**
   * Takes the stream of such a request, which nobody has read from.
   *
   * @param server - which the request is for; absent for one to the listener itself
   */
  stream?(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
    server: GuestServer | undefined,
  ): void;
  /** Whether it leads what it is handed on to the servers that this is for. `false` when absent. */
  readonly leadsOn?: boolean;
  /** How surely an upgrade to WebSocket is for this guest. Absent: none is. */
  claimUpgrade?(head: RequestHead, connection: Connection): Claim;
  /**
   * Takes an upgrade; the socket is that of the connection, and its errors have a listener.
   *
   * @param server - which it is for; absent for one to the listener itself
   */
  upgrade?(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    connection: Connection,
    server: GuestServer | undefined,
  ): void;
}

/** Whether what `admit` of a service is given is an {@link HttpGuest}. */
export function isHttpGuest(value: unknown): value is HttpGuest {
  return typeof value === 'object' && value !== null && typeof (value as HttpGuest).kind === 'string';
}
