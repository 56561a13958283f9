import type { Socket } from 'node:net';
import type { ConnectionFollower, ListenAddress, ServicePorts, ToxicFeed } from '@backlot/core/plugin';
import type { TlsFault } from './certificate.js';
import type { BufferLimits } from './connection-owner.js';
import type { Connection } from './connection.js';
import type { PortBinder } from './listen-addresses.js';
import type { StreamTls } from './tls-acceptor.js';

/** Limits of a stream server. */
export interface StreamLimits extends BufferLimits {
  /** How many connections may be open at one time; further ones are closed at once. Default 10,000. */
  readonly maxConnections?: number;
  /**
   * Milliseconds without a byte in either direction and without an answer being made, after which a connection is
   * closed. 0, the default, is no limit.
   */
  readonly idleTimeout?: number;
  /** Milliseconds a TLS handshake may take. Default 10,000. */
  readonly handshakeTimeout?: number;
}

/** What is done to a new connection before anything is read of it. */
export interface Admission {
  /** Close it at once. */
  readonly refuse?: boolean;
  /** Reset it (TCP RST) at once. */
  readonly reset?: boolean;
  /** Wait for this first. */
  readonly delay?: Promise<void> | undefined;
}

/** Where something went wrong: accepting a connection, `admit`, the TLS handshake, or a callback of the connection. */
export type StreamErrorPlace = 'accept' | 'admit' | 'tls' | 'connection';

/** What a stream server is made of. */
export interface StreamServerOptions extends ListenAddress {
  /** TLS; without it connections are in the clear. */
  readonly tls?: StreamTls | undefined;
  /** What is wrong with the certificate, asked at each handshake; where it says nothing, `tls.fault` counts. */
  readonly tlsFault?: () => TlsFault | undefined;
  readonly limits?: StreamLimits;
  /** Called for each new connection; with implicit TLS after its handshake. */
  readonly onConnection: (connection: Connection) => unknown;
  /** What is done to the bytes of connections; the server follows it. */
  readonly toxics?: ToxicFeed;
  /** Called first for each connection, with its `address:port`; `undefined` accepts it. */
  readonly admit?: (remote: string) => Admission | undefined;
  /**
   * Called for each open connection when the server stops, before the connection is ended: for a last message of the
   * protocol.
   */
  readonly onStopping?: (connection: Connection) => unknown;
  /** Called with what went wrong with one connection, which has ended, for the log. */
  readonly onError?: (error: unknown, where: StreamErrorPlace, connection?: Connection) => void;
  /** Called when a listener was closed by an error after the start. */
  readonly onFailure?: (error: Error) => void;
  /** Listens in place of the server, where several processes have the same ports. */
  readonly ports?: Pick<ServicePorts, 'listen'> | undefined;
  /** Whether small packets are sent at once (TCP_NODELAY). Default true. */
  readonly noDelay?: boolean;
  /** Whether a connection stays open after its client has ended its side, until the protocol ends it. Default false. */
  readonly allowHalfOpen?: boolean;
}

/** A server for connections. */
export interface StreamServer extends PortBinder {
  /** How many connections are open, including those in their TLS handshake. */
  readonly connections: number;
  /** The connections that are open, past their TLS handshake where they begin with one; those of {@link track} as well. */
  readonly open: Iterable<Connection>;
  /** Where it listens; undefined while it does not. */
  readonly place: ListenAddress | undefined;
  /**
   * Listens on every address of the host; see {@link startOnOnePort}.
   *
   * @param port - the port in place of the one in the options
   * @throws BacklotError `port_in_use` when the port is taken, `invalid` when the address cannot be listened on or the
   * certificate cannot be read; nothing listens then
   */
  start(port?: number): Promise<ListenAddress>;
  /**
   * Takes no more connections, ends those that are idle, and gives the others time to finish answers that have begun
   * before it cuts them. Resolves when all connections are closed.
   *
   * @param graceMs - how much time, in milliseconds; default 2000
   */
  stop(graceMs?: number): Promise<void>;
  /**
   * Makes a connection of a socket that was not accepted here, such as one that was opened to a client: a stop ends it
   * as well.
   */
  track(socket: Socket): Connection;
  /**
   * Takes a connection that another server of the same kind has accepted.
   *
   * @param serve - serves the client from now on
   */
  takeOver(connection: Connection, serve: () => unknown): void;
  /**
   * Reads the files of the certificate again, and changes nothing yet.
   *
   * @returns lets connections from then on have it, while those that are open stay; undefined when nothing is new
   * @throws BacklotError `invalid` when what is read cannot be taken
   */
  renew(): Promise<(() => void) | undefined>;
  /** The connection of a socket, for sockets that a library gives in its events. */
  connectionOf(socket: Socket): Connection | undefined;
  /** Calls back with each connection that is opened or closed. @returns a function that ends it */
  follow(follower: ConnectionFollower): () => void;
}

/** The limits of a server whose options name none. */
export const DEFAULT_LIMITS: Required<StreamLimits> = {
  maxConnections: 10_000,
  idleTimeout: 0,
  handshakeTimeout: 10_000,
  highWater: 128 * 1024,
  maxBuffered: 1024 * 1024,
  maxAnswers: 64 * 1024 * 1024,
};
