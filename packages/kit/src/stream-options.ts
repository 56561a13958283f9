import type { Socket } from 'node:net';
import type { ListenAddress } from '@backlot/core/plugin';
import type { BufferLimits } from './connection-owner.js';
import type { Connection } from './connection.js';
import type { PortBinder } from './listen-addresses.js';
import type { StreamTls } from './tls-acceptor.js';

/** Limits of a stream server. */
export interface StreamLimits extends BufferLimits {
  /** Connections at one time; further ones are closed at once. Default 10,000. */
  readonly maxConnections?: number;
  /** Milliseconds without a byte either way, and without an answer being made, after which a connection ends. Default: none. */
  readonly idleTimeout?: number;
  /** Milliseconds a TLS handshake may take. Default 10,000. */
  readonly handshakeTimeout?: number;
}

/** What is done to a connection before anything is read of it: a fault of the connection itself. */
export interface Admission {
  /** Close it at once. */
  readonly refuse?: boolean;
  /** Reset it (TCP RST) at once. */
  readonly reset?: boolean;
  /** Wait for this first. */
  readonly delay?: Promise<void> | undefined;
}

/** Where something went wrong: taking a connection, `admit`, the TLS handshake, or a callback of a connection. */
export type StreamErrorPlace = 'accept' | 'admit' | 'tls' | 'connection';

/** What a stream server is made of. */
export interface StreamServerOptions extends ListenAddress {
  /** Encryption; without it there is none. */
  readonly tls?: StreamTls | undefined;
  readonly limits?: StreamLimits;
  /** Takes a connection; with implicit TLS once the handshake is done. */
  readonly onConnection: (connection: Connection) => unknown;
  /** Asked for each connection first, with its remote `address:port`. */
  readonly admit?: (remote: string) => Admission | undefined;
  /** Told of every connection when the server stops, before it is ended: the place to say goodbye. */
  readonly onStopping?: (connection: Connection) => unknown;
  /** Told of what went wrong with one connection, for the log; that connection has ended. */
  readonly onError?: (error: unknown, where: StreamErrorPlace, connection?: Connection) => void;
  /** Told when a listener has died after the start. */
  readonly onFailure?: (error: Error) => void;
  /** Send small packets at once. Default true. */
  readonly noDelay?: boolean;
  /** True: a client that has ended its side stays connected until the protocol ends the connection. Default false. */
  readonly allowHalfOpen?: boolean;
}

/** A server for connections. */
export interface StreamServer extends PortBinder {
  /** How many connections there are, those in their handshake included. */
  readonly connections: number;
  /** Where it listens, while it does. */
  readonly place: ListenAddress | undefined;
  /**
   * Listens on every address of the host; see {@link startOnOnePort}.
   *
   * @param port - the port in place of the one in the options
   * @throws BacklotError when the place cannot be had or the certificate cannot be read; nothing listens then
   */
  start(port?: number): Promise<ListenAddress>;
  /**
   * Takes no more connections, ends those that are idle, and gives the others time to finish the answers they have
   * started before they are cut. Resolves when all are gone.
   *
   * @param graceMs - default 2000
   */
  stop(graceMs?: number): Promise<void>;
  /** Keeps track of a socket that was not accepted here (one that was opened to a client, say): it ends with the server. */
  track(socket: Socket): Connection;
  /** The connection of a socket, such as the one a library shows in its own events. */
  connectionOf(socket: Socket): Connection | undefined;
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
